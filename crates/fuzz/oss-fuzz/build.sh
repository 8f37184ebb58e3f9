#!/bin/bash -eu
# Builds the one program of all targets, and a script with seeds, dictionary and options for each of them.
cd "$SRC/meshwright"
cargo fuzz build -O --debug-assertions --fuzz-dir crates/fuzz
program=crates/fuzz/target/x86_64-unknown-linux-gnu/release/target
mkdir -p "$OUT/lib"
cp "$program" "$OUT/lib/meshwright"
planted=$(mktemp -d)
MESHWRIGHT_PLANT=$planted "$program"
for folder in "$planted"/*/; do
  name=$(basename "$folder")
  # `parse_*` and `round_*` share their inputs.
  kept=crates/fuzz/kept/${name/parse_/round_}
  [ -d "$kept" ] && cp "$kept"/* "$folder"
  (cd "$folder" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
  cp "$planted/$name.options" "$OUT/"
  [ -s "$planted/$name.dict" ] && cp "$planted/$name.dict" "$OUT/"
  cat > "$OUT/$name" <<EOF
#!/bin/sh
# LLVMFuzzerTestOneInput for fuzzer detection.
MESHWRIGHT_TARGET=$name exec "\$(dirname "\$0")/lib/meshwright" "\$@"
EOF
  chmod +x "$OUT/$name"
done
