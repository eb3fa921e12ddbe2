#!/bin/sh
# Makes the package, and a project that has it installed, in `empty`. Needs ../../downstream/python, with its
# tools installed and its types generated; `cargo xtask downstream python` does it all.
set -eu
tools=$PWD/../../downstream/python

mkdir -p src/claw_protocol/schemas ../built
cp ../../meta.json ../../*.schema.json ../../codegen/claw.schema.json src/claw_protocol/schemas/
cp ../../../LICENSE-* .
cp "$tools/claw.py" src/claw_protocol/types.py
rm -rf build ../built/*.whl
"$tools/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir ../built .

test -d empty || python3 -m venv --without-pip empty
cp example/read.py empty/
cd empty
# What the README shows is checked too.
{ echo 'text = ""'; sed -n '/^```python$/,/^```$/{//!p;}' ../README.md; } > readme.py
"$tools/venv/bin/pip" --disable-pip-version-check --python bin/python install --quiet --force-reinstall \
  --constraint "$tools/requirements.txt" ../../built/*.whl types-jsonschema
"$tools/venv/bin/mypy" --strict --python-executable bin/python -m read -m readme -p claw_protocol
