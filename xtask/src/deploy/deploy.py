"""Checks the files of docs/deploying, and proves that each check finds a fault: `deploy.py FOLDER`."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import helm_python
import kubernetes_validate
import yaml

NEWEST, OLDEST = "1.37", "1.27"  # Versions of Kubernetes. The chart names the older one.
EXPOSURE = 2.0  # The highest level of `systemd-analyze security`. 10 means no protection.
HEADER = "# What Helm makes of docs/deploying/helm/claw. `CLAW_WRITE_EXPECTED=1 cargo xtask ci deploy` writes it again.\n"
# What network policies let pass within the cluster.
FLOWS = [("*", "haproxy", 8080), ("haproxy", "host", 8787), ("host", "host", 8787), ("host", "postgres", 5432)]
# Values that turn every condition of the chart around.
OTHER = {
    "secret": "keys", "image": {"repository": "registry.internal/claw", "tag": "1"}, "extraArgs": ["--log-requests"],
    "env": {"ANTHROPIC_BASE_URL": "https://gateway.internal"}, "data": {"storageClass": "fast"},
    "projects": {"existingClaim": "shared"}, "postgres": {"enabled": False},
    "networkPolicy": {"extraFrom": [{"podSelector": {}}], "extraEgress": [{"ports": [{"port": 6432}]}]},
}


def run(*command, **variables):
    """The output of a command that failed, as a finding."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
    return [f"{command[0]}: {done.stdout}{done.stderr}"] if done.returncode else []


def unit(folder):
    # A directive that systemd does not know is only a warning, and the program of the unit is not on this machine.
    file = folder / "claw.service"
    lines = subprocess.run(["systemd-analyze", "verify", file], capture_output=True, text=True).stderr.splitlines()
    yield from (line for line in lines if "claw.service" in line and "is not executable" not in line)
    yield from run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE * 10:.0f}", file)


def compose(folder):
    file = folder / "compose.yaml"
    yield from run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", file)
    for name, service in yaml.safe_load(file.read_text())["services"].items():
        is_tight = service.get("read_only") and service.get("cap_drop") == ["ALL"] and service.get("security_opt")
        if not (is_tight and service.get("healthcheck")):
            yield f"compose.yaml: {name} has more rights than it needs, or no health check"


def render(folder, values):
    with helm_python.Chart.load(folder / "helm/claw") as chart:
        rendered = chart.render(values, name="claw", namespace="claw")
    return {Path(name).name: text for name, text in rendered.items() if name.endswith(".yaml") and text.strip()}


def pod_rules(kind, name, spec):
    """What the level `restricted` of Kubernetes and this project ask of a pod."""
    security = spec.get("securityContext", {})
    if not (security.get("runAsNonRoot") and security.get("seccompProfile") == {"type": "RuntimeDefault"}):
        yield f"{kind} {name}: runs as root or without seccomp"
    if spec.get("automountServiceAccountToken") is not False:
        yield f"{kind} {name}: has a token of the cluster"
    restricted = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    for container in spec["containers"]:
        if container.get("securityContext") != restricted or "limits" not in container.get("resources", {}):
            yield f"{kind} {name}: a container has more rights than it needs, or no limits"
        if any("secret" in str(variable) for variable in container.get("env", [])):
            yield f"{kind} {name}: a secret is in the environment"


def selectors(node, key=""):
    """All selectors of pods below a node. Those with a namespace select pods of others."""
    if isinstance(node, dict):
        if key in ("podSelector", "selector", "labelSelector") and "namespaceSelector" not in node:
            yield node.get("matchLabels", node)
        for name, value in node.items():
            if not (name == "podSelector" and "namespaceSelector" in node):
                yield from selectors(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from selectors(value)


def flows(policies):
    """The pairs of components between which policies let traffic pass, each with its port."""
    component = "app.kubernetes.io/component"

    def peers(policy, way, key):
        for rule in policy["spec"].get(way, []):
            for peer in rule.get(key, [{"podSelector": {}}]):
                if "podSelector" in peer and "namespaceSelector" not in peer:
                    label = peer["podSelector"].get("matchLabels", {}).get(component, "*")
                    yield from ((label, port["port"]) for port in rule["ports"])

    by_pod = {one["spec"]["podSelector"]["matchLabels"][component]: one for one in policies}
    incoming = {(source, to, port) for to, one in by_pod.items() for source, port in peers(one, "ingress", "from")}
    outgoing = {(source, to, port) for source, one in by_pod.items() for to, port in peers(one, "egress", "to")}
    return sorted(flow for flow in incoming if flow[0] == "*" or flow in outgoing)


def kubernetes(rendered, version):
    all_objects, pods = [one for text in rendered.values() for one in yaml.safe_load_all(text) if one], []
    for one in all_objects:
        name = f"{one['kind']} {one['metadata']['name']}"
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.InvalidSchemaError) as error:
            yield f"{name}: {error.message} ({version})"
        if template := one.get("spec", {}).get("template"):
            pods.append(template["metadata"]["labels"])
            yield from pod_rules(one["kind"], one["metadata"]["name"], template["spec"])
    for one in all_objects:
        for labels in selectors(one.get("spec", {})):
            if not any(labels.items() <= pod.items() for pod in pods):
                yield f"{one['kind']} {one['metadata']['name']}: selects no pod: {labels}"


def chart(folder):
    report = helm_python.lint(folder / "helm/claw", strict=True, kube_version=f"v{NEWEST}.0")
    yield from (f"helm lint: {one['path']}: {one['error']}" for one in report["messages"] if one["severity"] > 1)
    try:
        usual, other = render(folder, {}), render(folder, OTHER)
    except helm_python.HelmError as error:
        yield f"helm: {error}"
        return
    version = tomllib.loads((Path(sys.argv[1]).parents[1] / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    if yaml.safe_load((folder / "helm/claw/Chart.yaml").read_text())["appVersion"] != version:
        yield f"Chart.yaml: appVersion is not {version}"
    listed = yaml.safe_load((folder / "kubernetes/kustomization.yaml").read_text())["resources"]
    for name in {*listed, *usual}:
        file = folder / "kubernetes" / name
        if name not in listed or not file.exists() or file.read_text() != HEADER + usual.get(name, "").lstrip():
            yield f"kubernetes/{name} is not what Helm makes of the chart (CLAW_WRITE_EXPECTED=1 writes it)"
    policies = [one for text in usual.values() for one in yaml.safe_load_all(text) if one["kind"] == "NetworkPolicy"]
    if (passed := flows(policies)) != FLOWS:
        yield f"the network policies let pass {passed}"
    for version in (NEWEST, OLDEST):
        yield from kubernetes(usual, version)
        yield from kubernetes(other, version)
    try:
        render(folder, {"replicas": 0})
        yield "values.schema.json lets a chart without hosts pass"
    except helm_python.HelmError:
        pass


def alerts(folder):
    """Each alert has its test, and names only metrics that the documentation has, as the dashboard does."""
    rules, tests = folder / "prometheus-rules.yaml", folder / "prometheus-rules.test.yaml"
    yield from run("promtool", "test", "rules", tests)
    names = {rule["alert"] for group in yaml.safe_load(rules.read_text())["groups"] for rule in group["rules"]}
    caused = {one["alertname"] for test in yaml.safe_load(tests.read_text())["tests"] for one in test["alert_rule_test"] if one["exp_alerts"]}
    if names != caused:
        yield f"prometheus-rules.test.yaml does not cause {sorted(names - caused)}"
    known = (Path(sys.argv[1]).parent / "serve.md").read_text()
    for file in (rules, folder / "grafana.json"):
        for name in sorted(set(re.findall(r"(?:claw|gen_ai|process)_[a-z_]+(?=[{[ )])", file.read_text()))):
            if re.sub("_(bucket|sum|count)$", "", name) not in known and name not in known:
                yield f"{file.name}: docs/serve.md has no metric {name}"
    json.loads((folder / "grafana.json").read_text())


# The check of each file. `chart` checks all others.
CHECKS = {
    "Dockerfile": lambda folder: run("hadolint", folder / "Dockerfile"),
    "claw.service": unit,
    "compose.yaml": compose,
    "prometheus-rules.yaml": alerts,
    "helm/claw/haproxy.cfg": lambda folder: run(
        "haproxy", "-c", "-f", folder / "helm/claw/haproxy.cfg", CLAW_HOSTS="claw", CLAW_NAME="claw.example.org"
    ),
}


# Faults: a file, a part of it, what stands there instead, and a part of the finding.
FAULTS = [
    ("Dockerfile", "USER 10001:10001", "USER root", "DL3002"),
    ("claw.service", "CapabilityBoundingSet=\n", "", "exposure level"),
    ("claw.service", "PrivateUsers=true", "PrivateUser=true", "PrivateUser"),
    ("compose.yaml", "condition: service_healthy", "condition: healthy", "condition"),
    ("compose.yaml", "cap_drop: [ALL]", "cap_drop: [KILL]", "more rights"),
    ("helm/claw/haproxy.cfg", "balance hash", "balance hashes", "haproxy:"),
    ("prometheus-rules.yaml", "claw_sessions_silent > 0", "claw_sessions_silent >", "promtool:"),
    ("prometheus-rules.yaml", "claw_pool_waiting > 0", "claw_queue > 0", "no metric claw_queue"),
    ("helm/claw/templates/claw.yaml", "terminationGracePeriodSeconds: 60", "terminationGracePeriod: 60", "terminationGracePeriod"),
    ("helm/claw/templates/claw.yaml", "runAsNonRoot: true", "runAsNonRoot: false", "runs as root"),
    ("helm/claw/templates/claw.yaml", '"component" "haproxy"', '"component" "proxy"', "selects no pod"),
    ("helm/claw/templates/haproxy.yaml", "- port: 8787", "- port: 8788", "policies let pass"),
    ("helm/claw/Chart.yaml", 'appVersion: "', 'appVersion: "9', "appVersion"),
    ("helm/claw/templates/postgres.yaml", "{{- if .Values.networkPolicy.enabled }}", "", "helm:"),
    ("helm/claw/values.yaml", "replicas: 3", "replicas: three", "helm"),
    ("kubernetes/claw.yaml", "replicas: 3", "replicas: 4", "kubernetes/claw.yaml is not"),
]


def main():
    folder = Path(sys.argv[1])
    if os.environ.get("CLAW_WRITE_EXPECTED"):
        for name, text in render(folder, {}).items():
            (folder / "kubernetes" / name).write_text(HEADER + text.lstrip())
    found = [one for check in [*CHECKS.values(), chart] for one in check(folder)]
    with tempfile.TemporaryDirectory() as place:
        for number, (name, part, other, expected) in enumerate(FAULTS if not found else []):
            copy = shutil.copytree(folder, Path(place) / str(number))
            text = (copy / name).read_text()
            (copy / name).write_text(text.replace(part, other))
            if part not in text or not any(expected in one for one in CHECKS.get(name, chart)(copy)):
                found.append(f"no check finds that {name} has {other!r} in place of {part!r}")
    print("\n".join(found) or f"all files are right, and each of {len(FAULTS)} faults is found")
    sys.exit(1 if found else 0)


main()
