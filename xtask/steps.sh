# Verbs of xtask that only run other programs. `xtask VERB PART` runs the function VERB_PART from the top of the project, with the
# options of the verb as variables (`given_NAME`) and its other words as arguments. $XTASK is the program itself.
set -eu
T=${CARGO_TARGET_DIR:-$PWD/target}

fail() { echo "$*" >&2; exit 1; }
# Ends a verb that cannot run here. This is an error if MESHWRIGHT_STRICT is set.
absent() {
    [ -z "${MESHWRIGHT_STRICT:-}" ] || fail "cannot run here: $*"
    echo "skipped: $*" >&2
    exit 0
}
has() { "$@" > /dev/null 2>&1; }
nightly() { env -u CARGO -u RUSTC -u RUSTDOC -u RUSTUP_TOOLCHAIN cargo +nightly "$@"; }
need_nightly() { has nightly "${1:---version}" || absent "cargo of the nightly toolchain is not here: ${1:-$2}"; }

# A field of the workspace's manifest: NAME
field() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml | head -n 1; }
version=$(field version)
host() { rustc -vV | sed -n 's/^host: //p'; }
name_of() { sed -n 's/^name = "\(.*\)"/\1/p' "$1/Cargo.toml" | head -n 1; }
published() { grep -L '^publish = false\|^\[workspace\]' crates/*/Cargo.toml | xargs -n 1 dirname; }
# Names them to cargo.
packages() { for folder in $(published); do printf -- '--package %s ' "$(name_of "$folder")"; done; }
# Crates whose tests need no C code, so that Miri and emulators run them and a sanitizer sees them in full. The fixtures of the
# facade cover the others.
PURE="-p meshwright-core -p meshwright-scene -p meshwright-edit -p meshwright-bmd -p meshwright-dpm -p meshwright-iqm
    -p meshwright-fsomodel -p meshwright-tso -p meshwright-quake -p meshwright-rig"

lint() {
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features --locked -- -D warnings
    # All targets are those that plain `cargo test` builds, which these tests are not.
    cargo clippy --workspace --test corpus --test witnesses --all-features --locked -- -D warnings
    # Every published crate that has features: without them, and with each single one.
    for folder in $(published); do
        features=$(awk '/^\[/ { on = $0 == "[features]" } on && /^[a-z0-9_-]+ *=/ && $1 != "default" { print $1 }' "$folder/Cargo.toml")
        for feature in ${features:+"" $features}; do
            cargo clippy -q --locked -p "$(name_of "$folder")" --no-default-features --features="$feature" -- -D warnings
        done
    done
    # The facade with the features that each binding takes.
    for manifest in crates/*/Cargo.toml; do
        features=$(tr -d '\n"' < "$manifest" | sed -n 's/.*meshwright = {[^}]*default-features = false, features = \[\([^]]*\)\].*/\1/p')
        [ -z "$features" ] || cargo clippy -q --locked -p meshwright --no-default-features --features="$features" -- -D warnings
    done
    RUSTDOCFLAGS='-D warnings' cargo doc --workspace --all-features --no-deps --locked
}
# All tests, and every example without arguments.
test() {
    cargo test --workspace --locked
    docs_examples
}
docs_examples() {
    # All crates at once, so that they have the features they have in the tests, and nothing is built twice.
    cargo build --quiet --locked --workspace --profile test --lib --examples
    run_examples
    # The page of the library is in no package whose documentation tests would compile it.
    rustdoc --test docs/crate.md --edition 2024 --test-run-directory crates/meshwright \
        -L "$T/debug/deps" --extern "meshwright=$T/debug/libmeshwright.rlib"
}
# Runs the examples of the published crates.
run_examples() {
    for folder in $(published); do
        for example in "$folder"/examples/*.rs; do
            [ ! -f "$example" ] || "$T/debug/examples/$(basename "$example" .rs)"
        done
    done
}

supply() {
    has cargo deny --version || absent "cargo-deny is not installed (cargo install cargo-deny --locked)"
    # Crates that only tests use need not be in the list.
    cargo deny --locked --exclude-dev check bans
    cargo deny --locked check licenses sources
    said=$(cargo deny --locked check advisories 2>&1) && return
    case $said in
        *"failed to fetch advisory database"*) absent "the advisory database cannot be reached" ;;
        *) fail "$said" ;;
    esac
}

# The tests in other builds.

targets_release() {
    for profile in release checked; do
        cargo test --workspace --all-features --locked --lib --bins --tests --profile $profile
        cargo test --workspace --all-features --locked --test witnesses --profile $profile
    done
}
targets_msrv() {
    version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    # Newer versions of rustup would fetch it.
    oldest() { env -u CARGO -u RUSTC -u RUSTDOC RUSTUP_AUTO_INSTALL=0 CARGO_TARGET_DIR="$T/msrv" cargo "+$version" "$@"; }
    has oldest --version || absent "cargo +$version is not here (rustup toolchain install $version)"
    oldest check --workspace --all-features --all-targets --locked
}
# Each round prints its seed. `--seed` draws the same cases again.
targets_properties() {
    for round in $(seq 0 $((${given_rounds:-1} - 1))); do
        export PROPTEST_RNG_SEED=$((${given_seed:-$(date +%s)} + round)) PROPTEST_CASES="${given_cases:-1024}"
        echo "seed $PROPTEST_RNG_SEED"
        # A failure ends the round, not the crates after it.
        cargo test --workspace --all-features --locked --lib --bins --tests --no-fail-fast
        cargo test --workspace --all-features --locked --test witnesses
    done
}
targets_exhaustive() {
    MESHWRIGHT_EXHAUSTIVE=1 cargo test --quiet --locked -p meshwright --all-features --profile checked \
        --test suite exhaustive:: -- --nocapture
}
# A copy of the project, with changes that are not committed.
targets_minimal() {
    need_nightly --version
    copy=$T/copies/minimal
    rm -rf "$copy"
    mkdir -p "$copy"
    git ls-files -co --exclude-standard | while read -r file; do [ ! -f "$file" ] || echo "$file"; done |
        tar -cf - -T - | tar -xf - -C "$copy"
    cd "$copy"
    nightly -Z direct-minimal-versions update
    CARGO_TARGET_DIR=$T/minimal cargo check --workspace --all-features --all-targets --locked
}
targets_glam_assert() {
    CARGO_TARGET_DIR=$T/glam-assert cargo test -p meshwright-rig -p meshwright-gltf -p meshwright --all-features --locked \
        --lib --tests --features glam/debug-glam-assert
}
targets_asan() {
    need_nightly --version
    RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$T/asan MESHWRIGHT_PATIENCE=10 nightly test --locked \
        --target x86_64-unknown-linux-gnu --all-features $PURE --lib --tests
}
# The host, 32 bits, and most significant bytes first.
targets_miri() {
    need_nightly --version
    # Not a substitute: the compiler's checks of unsafe preconditions, and fields in another order.
    RUSTFLAGS='-Zub-checks=yes -Zrandomize-layout -Cdebug-assertions=yes' CARGO_TARGET_DIR=$T/ub-checks \
        MESHWRIGHT_PATIENCE=10 nightly test --locked $PURE --lib --tests
    has nightly miri --version || absent "\`cargo +nightly miri\` is not here"
    export MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=2
    for target in x86_64-unknown-linux-gnu i686-unknown-linux-gnu s390x-unknown-linux-gnu; do
        nightly miri test --locked --target $target $PURE --lib
        # The comparison of scenes is tested there.
        nightly miri test --locked --target $target -p meshwright-edit --test suite
        nightly miri test --locked --target $target -p meshwright --test suite fixtures::
    done
}
# Sets cargo's variables for the linker and the emulator of a machine, unless they are set: TARGET LIBRARIES EMULATOR.
emulate() {
    name=CARGO_TARGET_$(echo "$1" | tr a-z- A-Z_)
    eval "linker=\${${name}_LINKER:=$2-gcc} runner=\${${name}_RUNNER:=\"$3 -L /usr/$2\"}"
    export "${name}_LINKER" "${name}_RUNNER" PROPTEST_CASES=16 MESHWRIGHT_PATIENCE=50
    has "$linker" --version && has ${runner%% *} --version
}
# The crates with vector instructions, with the installed compiler if it has the standard library of aarch64.
targets_arm() {
    arm=aarch64-unknown-linux-gnu
    [ -d "$(rustc --print target-libdir --target $arm)" ] || absent "the standard library of $arm (rustup target add) is not here"
    emulate $arm aarch64-linux-gnu qemu-aarch64 || absent "$arm: needs $linker and ${runner%% *}"
    cargo test --locked --target $arm -p meshwright-core -p meshwright-rig --all-features --lib --tests
}
# The standard library is built from its source, so that any compiler that brings it will do: nightly with the component
# rust-src, or the one that RUSTC names.
targets_emulated() {
    need_nightly --version
    if [ -n "${RUSTC:-}" ]; then compiler=$RUSTC; else compiler=$(rustup which --toolchain nightly rustc); fi
    source=$("$compiler" --print sysroot)/lib/rustlib/src/rust/library
    [ -d "$source" ] || absent "no source of the standard library in $source"
    missing=
    while read -r target libraries emulator; do
        emulate "$target" "$libraries" "$emulator" || { missing="$missing $target"; continue; }
        for tests in "$PURE --lib --tests" "-p meshwright --test suite -- fixtures:: exhaustive::"; do
            env -u CARGO -u RUSTDOC -u RUSTUP_TOOLCHAIN RUSTC="$compiler" RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$T/emulated" \
                cargo +nightly test -Zbuild-std=std,panic_abort,panic_unwind,test --locked --target "$target" $tests < /dev/null
        done
    done <<- END
	s390x-unknown-linux-gnu s390x-linux-gnu qemu-s390x
	i686-unknown-linux-gnu i686-linux-gnu qemu-i386
	aarch64-unknown-linux-gnu aarch64-linux-gnu qemu-aarch64
	END
    [ -z "$missing" ] || absent "no linker or emulator for$missing"
}
# A program that brings its own panic handler cannot link `std`, which has one already. So a static library with such a
# handler that uses the crates is a proof on any host. The crates are also built for each target without `std` that the
# toolchain has.
targets_no_std() {
    proof=target/no-std
    mkdir -p $proof/src
    cp Cargo.lock $proof
    cat > $proof/Cargo.toml <<- END
	[package]
	name = "no-std-proof"
	version = "0.0.0"
	edition = "2024"
	[workspace]
	[lib]
	crate-type = ["staticlib"]
	[profile.dev]
	panic = "abort"
	[dependencies]
	END
    cat > $proof/src/lib.rs <<- END
	#![no_std]
	use core::alloc::{GlobalAlloc, Layout};
	struct None;
	unsafe impl GlobalAlloc for None {
	    unsafe fn alloc(&self, _: Layout) -> *mut u8 { core::ptr::null_mut() }
	    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
	}
	#[global_allocator]
	static ALLOCATOR: None = None;
	#[panic_handler]
	fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }
	END
    # Formats convert to scenes without `std` too.
    formats=$(grep -l '^layer = "format"' crates/*/Cargo.toml | cut -d / -f 2)
    for name in core scene edit quake rig $formats; do
        features=
        case " $(echo $formats) " in *" $name "*) features=', features = ["scene"]' ;; esac
        echo "meshwright-$name = { path = \"../../crates/$name\", default-features = false$features }" >> $proof/Cargo.toml
        echo "extern crate meshwright_$name as _;" >> $proof/src/lib.rs
    done
    cd $proof
    cargo build --target-dir ../no-std-target
    for target in thumbv7em-none-eabihf x86_64-unknown-none riscv32imac-unknown-none-elf; do
        if [ -d "$(rustc --print target-libdir --target $target)" ]; then
            cargo build --target $target --target-dir ../no-std-target
        else
            echo "$target: not in this toolchain"
        fi
    done
}

# Bindings for other languages: workspaces of their own below `crates`.

# Formatting, lints and tests.
lints_and_tests() {
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings
    cargo test --locked
}
bindings_bevy() {
    cd crates/bevy
    has cargo fetch --locked || absent "Bevy's crates cannot be fetched here"
    lints_and_tests
    cargo check --locked --features window --example play
}
# The library is used in another folder than the one that it was installed into.
bindings_capi() {
    cc=${CC:-cc}
    has "$cc" --version || absent "no C compiler found"
    (cd crates/capi && lints_and_tests)
    place=$T/capi
    rm -rf "$place" "$place-elsewhere"
    # In the profile of the tests, so that nothing is built twice.
    "$XTASK" release capi --profile dev --prefix "$place-elsewhere"
    mv "$place-elsewhere" "$place"
    flags() { PKG_CONFIG_PATH=$place/lib/pkgconfig pkg-config "$@" --cflags --libs meshwright; }
    has flags || absent "no pkg-config"
    # The program that the book shows.
    awk '/^```c$/ { shown = 1; next } /^```$/ && shown { exit } shown' docs/c.md > "$place/page.c"
    hopper=testdata/dpm/hopper.ok.dpm
    interface=$(basename "$(ls "$place"/lib/libmeshwright.so.?.? 2> /dev/null || ls "$place"/lib/libmeshwright.so.?)")
    for line in "crates/capi/examples/pose.c $hopper $place/hopper.glb" "$place/page.c $hopper" \
        "crates/capi/examples/convert.c to glb $place/converted embedded=1 $hopper"; do
        set -- $line
        program=$place/$(basename "$1" .c)
        "$cc" "$1" -o "$program" $(flags)
        shift
        LD_LIBRARY_PATH=$place/lib "$program" "$@"
        strings "$program" | grep -qx "$interface" || fail "$program does not ask for $interface"
    done
    "$cc" crates/capi/examples/pose.c -o "$place/pose-static" -static $(flags --static)
    "$place/pose-static" $hopper "$place/hopper.glb"
    if strings "$place/pose-static" | grep -q libmeshwright.so; then fail "pose-static is not linked statically"; fi
    need_nightly --version
    cd crates/capi
    RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/asan nightly test --locked --target x86_64-unknown-linux-gnu \
        --test boundary --test figures
}

# Sets $python to that of an environment with packages: FOLDER INTERPRETER PACKAGE...
environment() {
    folder=$1 interpreter=$2
    shift 2
    [ -e "$folder/pyvenv.cfg" ] || "$interpreter" -m venv "$folder" || { rm -rf "$folder"; return 1; }
    python=$folder/bin/python
    [ -e "$python" ] || python=$folder/Scripts/python
    pip "$@"
}
pip() { "$python" -m pip install --quiet --disable-pip-version-check "$@"; }
pytest() { "$python" -m pytest -q -rs -p no:cacheprovider "$@"; }
# Builds the wheel into an empty folder: FOLDER PROFILE
wheel() {
    rm -rf "$1"
    mkdir -p "$1"
    (cd crates/python && "$python" -m maturin build --quiet --locked --profile "$2" --out "$1")
}
TOOLS="maturin==1.16.0 numpy>=1.23 pytest==9.2.0"
# An environment with the wheel and the program that results are held against: FOLDER PACKAGE...
with_wheel() {
    place=$1
    shift
    environment "$place/venv" python3 "$@" || absent "no environment with $*"
    wheel "$place/wheels" dev
    pip --force-reinstall --no-deps --no-index "$place"/wheels/*.whl
    MESHWRIGHT=$(program)
    export MESHWRIGHT
}
bindings_ray() {
    with_wheel "$T/ray" $TOOLS 'ray[data]==2.60.0'
    pytest crates/python/examples
}
# The last tests use a library that the address sanitizer watches, which the interpreter loads first.
bindings_python() {
    (cd crates/python && cargo fmt --check && cargo clippy --locked -- -D warnings)
    with_wheel "$T/python" $TOOLS
    pytest crates/python/tests
    need_nightly --version
    runtime=$("${CC:-gcc}" -print-file-name=libasan.so)
    target=x86_64-unknown-linux-gnu built=$PWD/crates/python/target/asan package=$place/sanitized/meshwright
    (cd crates/python && RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=$built nightly build --locked --target $target)
    mkdir -p "$package"
    find crates/python/python/meshwright -maxdepth 1 -type f -exec cp {} "$package" \;
    cp "$built/$target/debug/lib_native.so" "$package/_native.abi3.so"
    # The interpreter itself leaves memory allocated at its end.
    LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc PYTHONPATH=$place/sanitized pytest crates/python/tests
}
# Blender of PyPI knows one Python each: 5.0 and what is older 3.11, newer ones 3.13.
bindings_blender() {
    wanted="bpy>=4.2"
    [ -z "${given_bpy:-}" ] || wanted="bpy==$given_bpy"
    for interpreter in python3 python3.13 python3.11; do
        environment "$T/blender/$interpreter-${given_bpy:-4.2}" $interpreter $TOOLS "$wanted" || continue
        extension "$T/blender"
        MESHWRIGHT_EXTENSION=$zip pytest -s crates/python/blender/tests
        return
    done
    absent "Blender as a Python module ($wanted) cannot be had"
}
release_blender() {
    environment "$T/blender/wheel" python3 maturin==1.16.0 || absent "no environment with maturin"
    extension "$T/releases"
    rm -r "$T/releases/staged"
    checksum "$(basename "$zip")"
}
# Sets $zip to the extension with the wheel inside, a file for *Install from Disk*: FOLDER
extension() {
    wheel "$1/staged/wheels" release
    cp crates/python/blender/*.py "$1/staged"
    zip=$("$python" xtask/blender_zip.py crates/python/blender/blender_manifest.toml "$1")
}

# Installs packages of Node.js below `target`, unless NODE_MODULES names a folder with them: NAME@VERSION...
modules() {
    has node --version || absent "node is not here"
    for package in "$@"; do
        [ -n "${NODE_MODULES:-}" ] || [ -d "target/node/node_modules/${package%@*}" ] ||
            npm install --no-audit --no-fund --prefix target/node "$package" || absent "the package $package is not here"
    done
    export NODE_MODULES="${NODE_MODULES:-$PWD/target/node/node_modules}"
}
bindings_page() {
    modules playwright-core@1.65.1
    [ -z "${MESHWRIGHT_STRICT:-}" ] || export MESHWRIGHT_REQUIRE=1
    cargo test --locked --workspace --test page
}
# The page as a site in `$T/wasm/site`, its module for npm in `$T/wasm/npm`; `lab` writes the site and tries it.
bindings_wasm() {
    wasm=wasm32-unknown-unknown place=$T/wasm built=${CARGO_TARGET_DIR:-$PWD/crates/wasm/target}
    [ -d "$(rustc --print target-libdir --target $wasm)" ] || absent "the compiler has no $wasm (rustup target add $wasm)"
    modules playwright-core@1.65.1 binaryen@132.0.0
    (
        cd crates/wasm
        cargo fmt --all --check
        cargo test --quiet --locked --package crc32fast
        cargo clippy --release --locked --target $wasm -- -D warnings
        cargo build --release --locked --target $wasm
    )
    # The program that binds modules, of the version that the crate is locked to: the one on the path, or one below `$T/wasm`.
    version=$(awk '/^name = "wasm-bindgen"$/ { getline; gsub(/version = |"/, ""); print }' crates/wasm/Cargo.lock)
    is_wanted() { case $(wasm-bindgen --version 2> /dev/null) in "wasm-bindgen $version"*) ;; *) return 1 ;; esac; }
    is_wanted || PATH=$place/tools/bin:$PATH
    is_wanted || cargo install wasm-bindgen-cli --version "=$version" --root "$place/tools" --target-dir "$place/tools-build" ||
        absent "wasm-bindgen $version cannot be installed"
    rm -rf "$place/tools-build"
    cargo build --quiet --locked --workspace --all-features --release --bin lab
    # The page has the bindings as a script, and the package of npm as a module with types.
    for form in bound npm; do
        options="no-modules --no-typescript" module=$place/$form/meshwright_bg.wasm
        [ $form = bound ] || options=web
        wasm-bindgen --remove-producers-section --target $options --out-name meshwright --out-dir "$place/$form" \
            "$built/$wasm/release/meshwright_wasm.wasm"
        # Merges equal functions until there are none, and puts similar ones next to each other, so that the module compresses
        # better; the functions with most calls come first. Without the alignment of memory accesses, which engines ignore,
        # more functions are equal.
        optimize() { node "$NODE_MODULES/binaryen/bin/wasm-opt" "$module" -o "$module" "$@" --strip-debug; }
        optimize --dealign --remove-unused-brs --merge-blocks --optimize-level=3 --duplicate-function-elimination --reorder-functions
        "$T/release/lab" order "$module"
        optimize --reorder-functions-by-name
    done
    "$T/release/lab" wasm ${given_large:+--large "$given_large"}
}

# Other programs that confirm what Meshwright reads and writes.

corpus=${MESHWRIGHT_CORPUS:-$PWD/../shared/corpus}
[ -f "$corpus/manifest.json" ] || corpus=
# Builds the program and prints its path. With the examples, crates have the features they have in the tests.
program() {
    cargo build --quiet --locked --workspace --profile test --examples --bin meshwright
    echo "$T/debug/meshwright"
}
# The suite of docs/conformance.md, and the tests of real files.
conformance() {
    program=$(program)
    if has python3 --version; then
        python3 xtask/conformance/run.py --program "$program"
        [ -z "$corpus" ] || python3 xtask/conformance/corpus.py --program "$program" "$corpus"
    fi
    [ -z "$corpus" ] || MESHWRIGHT_CORPUS=$corpus MESHWRIGHT_REQUIRE=1 \
        cargo test --workspace --locked --test corpus
    has python3 --version || absent "python3 is not here, for the suite"
}
# The folders of DPM, ZYM and IQM among the fixtures and the corpus.
engines() { for folder in "$PWD/testdata" $corpus; do ls -d "$folder/dpm" "$folder/zym" "$folder/iqm" 2> /dev/null || :; done; }
# Compares what another program finds in folders with the output of `meshwright`: WHAT IT NEEDS, SCRIPT, WORD...
witness() {
    needs=$1 script=$2 program=$(program) code=0
    shift 2
    python3 "xtask/conformance/$script" --program "$program" "$@" || code=$?
    [ $code != 3 ] || absent "$needs"
    return $code
}
witness_darkplaces() {
    [ $# -gt 0 ] || set -- $(engines)
    witness "Debian's darkplaces-server" darkplaces.py "$@"
}
witness_raylib() {
    [ $# -gt 0 ] || set -- $(engines)
    witness "raylib from PyPI" raylib_poses.py "$@"
}
witness_names() {
    [ $# -gt 0 ] || set -- "$PWD/testdata" ${corpus:+"$corpus"}
    witness "Debian's file, shared-mime-info, libglib2.0-bin" names.py "$@"
}
witness_kaitai() {
    [ $# -gt 0 ] || set -- "$PWD/testdata" ${corpus:+"$corpus"}
    modules kaitai-struct-compiler@0.11.0 js-yaml@4.1.0
    witness "kaitaistruct from PyPI" kaitai.py --modules "$NODE_MODULES" --out target/kaitai "$@"
}
witness_check() {
    [ $# -gt 0 ] || set -- "$PWD/testdata" ${corpus:+"$corpus"}
    modules gltf-validator@2.0.0-dev.3.10
    witness "gltf-validator" gltf_check.py --modules "$NODE_MODULES" --out target/gltf_check "$@"
}
witness_validator() {
    [ $# -gt 0 ] || set -- "$PWD/testdata" ${corpus:+"$corpus"}
    modules gltf-validator@2.0.0-dev.3.10
    program=$(program) out=target/glb
    rm -rf $out
    for influences in 4 all; do
        # Some models are refused, others have findings.
        "$program" convert --quiet --to glb --influences $influences -o $out/$influences "$@" 2> /dev/null ||
            case $? in 1 | 3) ;; *) fail "convert ended with $?" ;; esac
    done
    find $out -type f -print0 | sort -z | xargs -0 -n 40 node xtask/conformance/validator.mjs
    count=$(find $out -type f | wc -l)
    [ "$count" -gt 0 ] || fail "no model was exported"
    echo "$count GLBs validated"
}

# Tests that compare with other crates. Plain `cargo test` does not build these.
witness_crates() {
    [ -z "$corpus" ] || export MESHWRIGHT_CORPUS="$corpus" MESHWRIGHT_REQUIRE=1
    cargo test --workspace --locked --test witnesses
}

# The first steps of a user with only Rust installed: the README's two commands as printed, in a clone in an empty folder, or here.
newcomer() {
    place=$(mktemp -d)
    trap 'rm -rf "$place"' EXIT
    if [ -z "${given_here+given}" ]; then
        git clone --quiet . "$place/meshwright"
        cd "$place/meshwright"
        unset $(env | sed -n 's/^\(CARGO_TARGET[A-Z_]*\)=.*/\1/p') NONE
        T=$PWD/target
    fi
    awk '/^## / { below = $0 == "## Contributing" } below && /^```$/ && shown { exit } shown { sub(/ # .*/, ""); print }
        below && /^```sh$/ { shown = 1 }' README.md > "$place/commands"
    [ "$(wc -l < "$place/commands")" -eq 2 ] || fail "README.md: two commands expected: $(cat "$place/commands")"
    unset $(env | sed -n 's/^\(MESHWRIGHT_[A-Z_]*\|CARGO_ENCODED_RUSTFLAGS\)=.*/\1/p') NONE
    # No corpus, also if one is next to the project: a test that needs it counts as skipped.
    export MESHWRIGHT_CORPUS=
    while read -r line; do
        echo "\$ $line"
        start=$(date +%s)
        { sh -c "$line && times" < /dev/null || echo "failed: $line"; } 2>&1 | tee -a "$place/said"
        ! grep "^failed: " "$place/said" || exit 1
        echo "\$ $line: $(($(date +%s) - start)) s, of processors (user, system) on the last line, $(du -sh "$T" | cut -f 1) of target"
    done < "$place/commands"
    passed=$(awk '/^test result: ok\. / { passed += $4 } END { print passed + 0 }' "$place/said")
    skipped=$(grep -c '^skipped: \| \.\.\. ignored' "$place/said" || :)
    echo "$passed passed, $skipped skipped"
    [ "$passed" -gt 0 ] || fail "no test ran"
    [ "$skipped" -eq 0 ] || fail "every test must run: $(grep '^skipped: \| \.\.\. ignored' "$place/said")"
}

# Packages, archives and notes of a release, in `$T/releases`.

RELEASES=$T/releases
# Packs a folder in RELEASES, and writes the checksum of the archive next to it: NAME. It is a zip for Windows, whose own `tar`
# makes them.
archive() {
    case $(uname -s) in
        MINGW* | MSYS*) (cd "$RELEASES" && "$SYSTEMROOT/System32/tar.exe" -acf "$1.zip" "$1") && checksum "$1.zip" ;;
        *) tar -czf "$RELEASES/$1.tar.gz" -C "$RELEASES" "$1" && checksum "$1.tar.gz" ;;
    esac
}
checksum() (
    cd "$RELEASES"
    if has sha256sum --version; then sha256sum "$1"; else shasum -a 256 "$1"; fi | tee "$1.sha256"
)
# Sets $program to the program of a profile: PROFILE [TARGET]
built() {
    flags=
    if [ "$1" = dist ]; then
        # LLVM optimizes all crates once more, at the level of the last one, which is built for size. At that level, loops of the
        # other crates would lose their vector instructions. Each crate has already inlined and unrolled what gains by it, so
        # this pass copies little code, and leaves no gaps before loops.
        flags=-Copt-level=3
        for option in inline-threshold=0 inlinehint-threshold=0 unroll-runtime=false unroll-threshold=30 unswitch-threshold=10 \
            jump-threading-threshold=1 tail-dup-placement=false tail-merge-size=2 align-loops=1; do
            flags="$flags -Cllvm-args=-$option"
        done
        case ${2:-$(host)} in *-linux-gnu) flags="$flags -Clink-arg=-Wl,-T,xtask/no_unwinding.ld" ;; esac
    fi
    cargo rustc --locked --package meshwright-cli --bin meshwright --profile "$1" ${2:+--target "$2"} -- $flags
    program=$(ls "$T/${2:+$2/}$1/meshwright" "$T/${2:+$2/}$1/meshwright.exe" 2> /dev/null | head -n 1)
}
# Writes the completions of the program and its manual: FOLDER
documents() {
    mkdir -p "$1/completions" "$1/man"
    while read -r shell file; do "$program" completions "$shell" > "$1/completions/$file"; done <<- END
	bash meshwright.bash
	elvish meshwright.elv
	fish meshwright.fish
	powershell _meshwright.ps1
	zsh _meshwright
	END
    "$program" man "$1/man"
}
# The program with its documents and the book as an archive.
release_dist() {
    target=${given_target:-$(host)}
    built "${given_profile:=dist}" "${given_target:-}"
    # The program that is given away is not slower than the one that was measured.
    case $given_profile,$target in dist,x86_64-unknown-linux-gnu) "$XTASK" instructions --program "$program" ;; esac
    name=meshwright-$version-$target
    staged=$RELEASES/$name
    rm -rf "$staged"
    mkdir -p "$staged"
    cp "$program" README.md SECURITY.md LICENSE-APACHE LICENSE-MIT CHANGELOG.md CONTRIBUTING.md "$staged"
    documents "$staged"
    "$XTASK" release sbom
    cp "$RELEASES/meshwright.cdx.json" "$staged"
    cp -R docs "$staged"
    # mdBook leaves its pages there.
    rm -rf "$staged/docs/book"
    for folder in $(published); do
        mkdir -p "$staged/$folder"
        cp "$folder/CHANGELOG.md" "$staged/$folder"
    done
    "$XTASK" docs links "$staged"
    "$program" convert testdata/dpm/hopper.ok.dpm -o "$staged/hopper.glb"
    rm "$staged/hopper.glb"
    archive "$name"
}
# Header, libraries and the file for pkg-config of the library for C, below a folder or as an archive.
release_capi() {
    name=meshwright-c-$(sed -n 's/^version = "\(.*\)"/\1/p' crates/capi/Cargo.toml | head -n 1)
    version=${name#meshwright-c-} to=${given_prefix:-$RELEASES/$name-$(host)} profile=${given_profile:-release}
    # Programs need a new build when the interface changes. A program asks its loader for this name.
    case $version in 0.*) interface=${version%.*} ;; *) interface=${version%%.*} ;; esac
    option= so=libmeshwright.so dylib=libmeshwright.$interface.dylib
    case $(uname -s) in
        MINGW* | MSYS*) set -- meshwright.dll meshwright.dll meshwright.dll.lib meshwright.dll.lib meshwright.lib meshwright.lib ;;
        Darwin)
            option=-Clink-arg=-Wl,-install_name,@rpath/$dylib
            set -- libmeshwright.dylib "$dylib" libmeshwright.a libmeshwright.a ;;
        *)
            option=-Clink-arg=-Wl,-soname,$so.$interface
            set -- $so $so.$version libmeshwright.a libmeshwright.a ;;
    esac
    (cd crates/capi && cargo rustc --profile "$profile" --locked --lib --crate-type cdylib,staticlib -- $option)
    [ "$profile" != dev ] || profile=debug
    mkdir -p "$to/lib/pkgconfig" "$to/include" "$to/share/doc/meshwright-c"
    while [ $# -gt 0 ]; do
        # Programs may use the old file.
        rm -f "$to/lib/$2"
        cp "${CARGO_TARGET_DIR:-crates/capi/target}/$profile/$1" "$to/lib/$2"
        shift 2
    done
    case $(uname -s) in
        Linux) ln -sf $so.$version "$to/lib/$so.$interface" && ln -sf $so.$version "$to/lib/$so" ;;
        Darwin) ln -sf "$dylib" "$to/lib/libmeshwright.dylib" ;;
    esac
    cp crates/capi/include/meshwright.h "$to/include"
    cp LICENSE-APACHE LICENSE-MIT crates/capi/examples/pose.c crates/capi/examples/convert.c "$to/share/doc/meshwright-c"
    sed "s/@version@/$version/" crates/capi/meshwright.pc.in > "$to/lib/pkgconfig/meshwright.pc"
    if [ -n "${given_prefix:-}" ]; then echo "$to"; else archive "${to##*/}"; fi
}
# The section of a version of a changelog, or the unreleased one: FILE VERSION
section() {
    for title in "$2" Unreleased; do
        text=$(awk -v title="$title" '/^## / { shown = $2 == title || $2 == "[" title "]"; next } shown' "$1" | sed '/./,$!d')
        [ -z "$text" ] || { echo "$text"; return; }
    done
    return 1
}
# A changelog in the form of Debian, with the date of the release: FILE VERSION MAINTAINER DATE
debian_changelog() {
    text=$(section "$1" "$2") || fail "no changes of $2"
    echo "meshwright ($2) unstable; urgency=medium"
    echo "$text" | awk '/^#/ { next } { for (i = 1; i <= NF; i++) {
        if ($i == "*" || $i == "-") { $i = "*"; gap = "\n  "; width = 2 }
        else if (width + length($i) >= 79) { gap = "\n    "; width = 4 }
        else { gap = " "; width++ }
        printf "%s%s", gap, $i; width += length($i) } } END { print "\n" }'
    echo " -- $3  $4"
}
# `crates/cli/Cargo.toml` lists the files of the package.
release_deb() {
    has cargo deb --version || absent "cargo-deb is not installed (cargo install cargo-deb --locked)"
    built "${given_profile:=dist}"
    folder=$(dirname "$program")/deb
    rm -rf "$folder"
    documents "$folder"
    maintainer=$(sed -n 's/^maintainer = "\(.*\)"/\1/p' crates/cli/Cargo.toml)
    # The date of the last commit, so that the same commit gives the same bytes.
    debian_changelog crates/cli/CHANGELOG.md "$version" "$maintainer" "$(git log -1 --format=%cD)" > "$folder/changelog"
    # cargo-deb does not compress files of the target folder.
    gzip -9nrf "$folder/man" "$folder/changelog"
    SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) cargo deb --locked --no-build --package meshwright-cli \
        --profile "$given_profile" --output "$RELEASES"
}
# The scripts that install the program from the archives in RELEASES, with their checksums inside.
release_installers() {
    address=$(field repository)/releases/download/v$version
    ls "$RELEASES/meshwright-$version-"*.sha256 > /dev/null || fail "no archive of $version: run release dist first"
    for name in install.sh install.ps1; do
        for file in "$RELEASES/meshwright-$version-"*.sha256; do
            target=$(basename "$file" .sha256 | sed "s/^meshwright-$version-//; s/\.tar\.gz$//; s/\.zip$//")
            sum=$(cut -d ' ' -f 1 "$file")
            case $name,$target in
                install.sh,*windows*) ;;
                install.sh,*) echo "    $target) sum=$sum ;;" ;;
                *windows*) echo "    '$target' = '$sum'" ;;
            esac
        done > "$RELEASES/sums"
        sed -e "/^    @SUMS@/{r $RELEASES/sums" -e 'd;}' -e "s|@VERSION@|$version|g; s|@ADDRESS@|$address|g" \
            "crates/cli/packaging/$name" > "$RELEASES/meshwright-$name"
    done
    rm "$RELEASES/sums"
}
# Packs the page's module, installs what was packed, and converts a model with it.
release_npm() {
    folder=$RELEASES/npm
    [ -d "$T/wasm/npm" ] || fail "$T/wasm/npm is missing: run bindings wasm first"
    rm -rf "$folder" "$T/npm"
    mkdir -p "$folder" "$T/npm"
    cp "$T/wasm/npm/meshwright.js" "$T/wasm/npm/meshwright.d.ts" "$T/wasm/npm/meshwright_bg.wasm" LICENSE-APACHE LICENSE-MIT "$folder"
    for name in package.json README.md; do
        sed "s|@VERSION@|$version|g; s|@REPOSITORY@|$(field repository)|g" "crates/wasm/npm/$name" > "$folder/$name"
    done
    has npm --version || absent "npm is not here: the package is not packed"
    (cd "$folder" && npm pack --silent --pack-destination ..)
    npm install --silent --no-audit --no-fund --prefix "$T/npm" "$RELEASES/meshwright-$version.tgz"
    cp crates/wasm/npm/try.mjs "$T/npm"
    node "$T/npm/try.mjs" "$PWD/testdata/dpm/hopper.ok.dpm"
}
# The changes of this version in every changelog.
release_notes() {
    # On a tag its name is the version.
    [ "${GITHUB_REF_TYPE:-}" != tag ] || [ "$GITHUB_REF_NAME" = "v$version" ] || fail "the tag is $GITHUB_REF_NAME, the version $version"
    mkdir -p "$RELEASES"
    for folder in $(published); do
        ! changes=$(section "$folder/CHANGELOG.md" "$version") || printf '## %s\n\n%s\n\n' "$(name_of "$folder")" "$changes"
    done | tee "$RELEASES/notes.md"
    [ -s "$RELEASES/notes.md" ] || fail "no changelog has a section $version"
}
# Everything but the upload. If the registry does not answer, only the content of packages is checked.
release_publish() {
    files=$(cargo package $(packages) --no-verify --list --allow-dirty --locked)
    ! echo "$files" | grep '^tests/\|^testdata/' || fail "these files are packed"
    echo "$(echo "$files" | wc -l) files in $(published | wc -l) packages"
    case $(field repository) in
        *example.org*)
            why="Cargo.toml has no address of the repository yet: fill in \`repository\`"
            [ "${GITHUB_REF_TYPE:-}" != tag ] || fail "$why"
            echo "$why" ;;
    esac
    said=$(cargo publish --workspace --dry-run --no-verify --locked --allow-dirty 2>&1) && return
    case $said in
        *"failed to download"* | *"Could not resolve host"* | *"spurious network error"* | *offline* | *"crates-io is replaced"*)
            absent "the registry does not answer: the order of publication is not tried" ;;
        *) fail "$said" ;;
    esac
}
# Packs every crate that is published, and runs doctests and examples of what was packed. Nothing is fetched: the packages use
# each other and the dependencies that the workspace has.
release_package() {
    packed=$T/packed workspace=$T/packed/workspace
    rm -rf "$workspace"
    mkdir -p "$workspace"
    names=$(for folder in $(published); do name_of "$folder"; done)
    cargo package --quiet --no-verify --allow-dirty --offline --target-dir "$packed" $(packages)
    printf '[workspace]\nresolver = "3"\nmembers = ["*"]\n\n[patch.crates-io]\n' > "$workspace/Cargo.toml"
    for name in $names; do
        package=$workspace/$name-$version
        tar -xzf "$packed/package/$name-$version.crate" -C "$workspace"
        for file in CHANGELOG.md LICENSE-APACHE LICENSE-MIT README.md; do [ -f "$package/$file" ] || fail "$package: no $file"; done
        # Links to the licences are files with a path in them where links are not known.
        cmp LICENSE-APACHE "$package/LICENSE-APACHE" && cmp LICENSE-MIT "$package/LICENSE-MIT"
        [ ! -e "$package/tests" ] || fail "$package/tests uses files that are not published"
        echo "$name = { path = \"$name-$version\" }" >> "$workspace/Cargo.toml"
    done
    # The same versions of everything.
    cp Cargo.lock "$workspace"
    export CARGO_TARGET_DIR="$packed/target" T="$packed/target"
    (cd "$workspace" && cargo test --quiet --offline --workspace --all-features --doc)
    (cd "$workspace" && cargo build --quiet --offline --workspace --all-features --examples)
    run_examples
}
release_semver() {
    has cargo semver-checks --version || absent "cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)"
    # The newest tag is the release that is being made, when its commit is checked out.
    here=$(git tag --points-at HEAD)
    last=$(git tag --list 'v*' --sort=-v:refname | grep -vxF "${here:-none}" | head -n 1)
    [ -n "$last" ] || { echo "skipped: no earlier release to compare with"; return; }
    cargo semver-checks --workspace --exclude xtask --exclude meshwright-lab --exclude meshwright-testkit \
        --exclude meshwright-cli --baseline-rev "$last"
}
# The project's own pages in `$T/site`: the page that reads dropped files, the fixtures as a gallery, and the book.
release_site() {
    [ -f "$T/wasm/site/index.html" ] || fail "$T/wasm/site is missing: run bindings wasm first"
    rm -rf "$T/site"
    mkdir -p "$T/site"
    cp -R "$T/wasm/site" "$T/site/try"
    # Fixtures that readers reject are in the list with their reason.
    "$(program)" view testdata --quiet --site "$T/site/examples" 2> /dev/null
    cp xtask/site.html "$T/site/index.html"
    has mdbook --version || absent "the book is not part of the site: mdbook is not installed (cargo install --locked mdbook)"
    mdbook build docs --dest-dir "$T/site/book"
}
