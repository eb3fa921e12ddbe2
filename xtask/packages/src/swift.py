"""Parses the sources of the package for Swift, and compares the example of its README with the program that is compiled.

Each mistake is printed with its place, and then the number of files.
"""

import pathlib
import sys

import tree_sitter
import tree_sitter_swift

parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_swift.language()))
faults = files = 0
for path in sorted(pathlib.Path().rglob("*.swift")):
    files += 1
    open_nodes = [parser.parse(path.read_bytes()).root_node]
    while open_nodes:
        node = open_nodes.pop()
        if node.is_error or node.is_missing:
            faults += 1
            line, column = node.start_point
            what = f"{node.type} is missing" if node.is_missing else "no Swift"
            print(f"{path}:{line + 1}:{column + 1}: {what}", file=sys.stderr)
        elif node.has_error:
            open_nodes.extend(node.children)
readme = pathlib.Path("README.md").read_text(encoding="utf-8")
example = pathlib.Path("Sources/Example/main.swift").read_text(encoding="utf-8")
if f"```swift\n{example}```\n" not in readme:
    faults += 1
    print("README.md: another example than Sources/Example/main.swift", file=sys.stderr)
print(f"{files} files")
sys.exit(faults > 0 or files == 0)
