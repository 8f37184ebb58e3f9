# Installs meshwright @VERSION@ into %LOCALAPPDATA%\Programs\meshwright, or into the folder that MESHWRIGHT_BIN names.
#   irm @ADDRESS@/meshwright-install.ps1 | iex
# MESHWRIGHT_FROM names a folder or another address with the archives.
$ErrorActionPreference = 'Stop'
$address = if ($env:MESHWRIGHT_FROM) { $env:MESHWRIGHT_FROM } else { '@ADDRESS@' }
$folder = if ($env:MESHWRIGHT_BIN) { $env:MESHWRIGHT_BIN } else { Join-Path $env:LOCALAPPDATA 'Programs\meshwright' }
$sums = @{
    @SUMS@
}
$machine = if ([System.Runtime.InteropServices.RuntimeInformation]::OSArchitecture -eq 'Arm64') { 'aarch64' } else { 'x86_64' }
$target = "$machine-pc-windows-msvc"
if (-not $sums.ContainsKey($target)) { throw "meshwright: this release has no program for $target" }
$name = "meshwright-@VERSION@-$target"
$scratch = Join-Path ([System.IO.Path]::GetTempPath()) ([System.IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Path $scratch | Out-Null
try {
    $archive = Join-Path $scratch 'archive.zip'
    if ($address -like 'http*') { Invoke-WebRequest -UseBasicParsing "$address/$name.zip" -OutFile $archive }
    else { Copy-Item (Join-Path $address "$name.zip") $archive }
    if ((Get-FileHash $archive -Algorithm SHA256).Hash -ne $sums[$target]) {
        throw 'meshwright: the archive has another checksum than the release; nothing was installed'
    }
    Expand-Archive $archive -DestinationPath $scratch
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    Copy-Item -Force (Join-Path $scratch "$name\meshwright.exe") $folder
    & (Join-Path $folder 'meshwright.exe') --version
    if (($env:PATH -split ';') -notcontains $folder) { Write-Output "add $folder to PATH to run it by its name" }
} finally {
    Remove-Item -Recurse -Force $scratch
}
