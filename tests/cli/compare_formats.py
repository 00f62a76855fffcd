"""What is wrong with the files that `gpubench compare` writes for other programs: one line a fault.

The structures are those that the readers of the files document: JUnit as the Jenkins plug-ins and GitLab take it,
the entries of github-action-benchmark's custom tools, the tables of GitHub Flavored Markdown.
"""

import math
import re
import xml.etree.ElementTree as xml

import schema_support

LONGEST_COMMENT = 65536  # GitHub refuses more

# Control characters but tab, line feed and carriage return, C1 ones among them: what an ANSI sequence starts with.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

# Element: attributes it must have, attributes it may have besides, elements that may stand in it.
JUNIT = {
    "testsuites": ({"tests", "failures", "errors"}, {"name", "time"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"time", "timestamp", "hostname"},
                  {"properties", "testcase", "system-out", "system-err"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name", "classname"}, {"time"}, {"failure", "error", "skipped", "system-out", "system-err"}),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "skipped": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}


def _counts_of(cases):
    return {"tests": len(cases),
            "failures": sum(case.find("failure") is not None for case in cases),
            "errors": sum(case.find("error") is not None for case in cases),
            "skipped": sum(case.find("skipped") is not None for case in cases)}


def junit_faults(text):
    """Faults of a JUnit file (str or bytes): its structure, its attributes, its counts."""
    try:
        root = xml.fromstring(text if isinstance(text, bytes) else text.encode("utf-8"))
    except xml.ParseError as error:
        return [f"not well-formed: {error}"]
    if root.tag != "testsuites":
        return [f"the root is {root.tag}, not testsuites"]
    faults = []
    for element in root.iter():
        if element.tag not in JUNIT:
            faults.append(f"unknown element {element.tag}")
            continue
        required, optional, children = JUNIT[element.tag]
        present = set(element.attrib)
        faults += [f"{element.tag} has no {name}" for name in sorted(required - present)]
        faults += [f"{element.tag} has a {name}" for name in sorted(present - required - optional)]
        faults += [f"a {child.tag} in a {element.tag}" for child in element if child.tag not in children]
        if children and (element.text or "").strip():
            faults.append(f"text in a {element.tag}")
        for value in [element.text or "", *element.attrib.values()]:
            if CONTROL.search(value):
                faults.append(f"a control character in a {element.tag}")
        if element.tag == "testcase" and sum(
                child.tag in ("failure", "error", "skipped") for child in element) > 1:
            faults.append(f"two results of {element.get('name')!r}")
        if not re.fullmatch(r"[0-9]*(\.[0-9]*)?", element.get("time", "")):
            faults.append(f"{element.get('time')!r} is no time")
    for element in [root, *root.iter("testsuite")]:
        for name, number in _counts_of(list(element.iter("testcase"))).items():
            if name in element.attrib and element.get(name) != str(number):
                faults.append(f"{name} of {element.tag} is {element.get(name)}, there are {number}")
    keys = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    if len(set(keys)) != len(keys):
        faults.append("two test cases of one name")
    return faults


def junit_results(text):
    """Name of the test case -> (element that says its result, or "passed"; type or None)."""
    results = {}
    for case in xml.fromstring(text.encode("utf-8")).iter("testcase"):
        result = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        results[case.get("name")] = ("passed", None) if result is None else (result.tag, result.get("type"))
    return results


def github_action_faults(text):
    """Faults of an input of github-action-benchmark's customSmallerIsBetter or customBiggerIsBetter."""
    try:
        entries = schema_support.parse(text)
    except ValueError as error:
        return [f"not JSON: {error}"]
    if not isinstance(entries, list):
        return ["not an array"]
    faults = []
    for entry in entries:
        if not isinstance(entry, dict):
            faults.append(f"{entry!r} is no object")
            continue
        for name in ("name", "unit"):
            if not isinstance(entry.get(name), str):
                faults.append(f"{name} of {entry.get('name')!r} is no text")
        value = entry.get("value")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            faults.append(f"value of {entry.get('name')!r} is no number")
        for name in ("range", "extra"):
            if name in entry and not isinstance(entry[name], str):
                faults.append(f"{name} of {entry.get('name')!r} is no text")
        faults += [f"unknown key {name}" for name in entry
                   if name not in ("name", "unit", "value", "range", "extra")]
    names = [entry.get("name") for entry in entries if isinstance(entry, dict)]
    if len(set(names)) != len(names):
        faults.append("two entries of one name")
    return faults


def _cells(line):
    """Cells of a row: a pipe that a backslash stands before delimits none, in code spans too."""
    return len(re.findall(r"(?<!\\)\|", line)) - 1


def markdown_faults(text):
    """Faults of a pull-request comment: its length, its tables, its folds, characters that do not belong."""
    faults = []
    if len(text) > LONGEST_COMMENT:
        faults.append(f"{len(text)} characters")
    if CONTROL.search(text):
        faults.append("a control character")
    lines = text.split("\n")
    if not re.match(r"\*\*gpubench: (PASS|FAIL|NOT COMPARABLE)\*\*", lines[0]):
        faults.append(f"the first line is no verdict: {lines[0]!r}")
    depth = 0
    width = None  # of the table that the line is in
    for number, line in enumerate(lines):
        # Tags count where they start a line: elsewhere they stand in code.
        if line.startswith("<details>"):
            depth += 1
            if not re.fullmatch(r"<details><summary>[^<>]*</summary>", line):
                faults.append(f"a fold without its summary: {line!r}")
            if lines[number + 1:number + 2] != [""]:
                faults.append("no empty line after a summary: what follows is not read as Markdown")
        if line.startswith("</details>"):
            depth -= 1
            if depth < 0:
                faults.append("</details> without <details>")
        if not line.startswith("|"):
            width = None
            continue
        if width is None:
            width = _cells(line)
            if number > 0 and lines[number - 1] != "":
                faults.append(f"no empty line before the table of line {number + 1}")
            if not re.fullmatch(r"\|(:?-+:?\|)+", "".join(lines[number + 1:number + 2])):
                faults.append(f"no delimiter row below line {number + 1}")
        if _cells(line) != width or not line.endswith("|"):
            faults.append(f"{_cells(line)} cells, not {width}, in {line!r}")
        outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        if re.search(r"[<>`]", outside):
            faults.append(f"a tag or a backtick outside code in {line!r}")
    if depth > 0:
        faults.append("<details> without </details>")
    return faults


def comparison_faults(text):
    """Faults of a --json file: the schema, and what the schema cannot say."""
    try:
        comparison = schema_support.parse(text)
    except ValueError as error:
        return [f"not JSON: {error}"]
    faults = schema_support.faults(comparison, "comparison")
    if faults:
        return faults
    for verdict, number in comparison["counts"].items():
        if number != sum(case["verdict"] == verdict for case in comparison["cases"]):
            faults.append(f"the count of {verdict} is wrong")
    if any(case["fails"] for case in comparison["cases"]) != (comparison["exit_code"] == 1):
        faults.append("the exit code does not fit the cases")
    if comparison["exit_code"] != {"pass": 0, "fail": 1, "not_comparable": 4}[comparison["outcome"]]:
        faults.append("the exit code does not fit the outcome")
    ids = [case["id"] for case in comparison["cases"]]
    if len(set(ids)) != len(ids):
        faults.append("ids are not unique")
    return faults
