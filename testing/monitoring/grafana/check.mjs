// Compiles the dashboard as a value of the types that Grafana publishes: `node check.mjs DASHBOARD`.
//
// JSON has texts where these types have enums, so the types are first made plain. Names that they do not have are errors, and so
// are values of other types. What panels ask is not in the package: Prometheus itself is asked, by `duet-monitoring check`.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultDashboard } from "@grafana/schema";
import ts from "typescript";

const [file] = process.argv.slice(2);
const dashboard = JSON.parse(readFileSync(file, "utf8"));

const OF_PANELS = "@grafana/schema/dist/esm/raw/composable";
/** Types of panels. Those of their options and of the style of their fields are checked apart: in the panel anything may stand there. */
const KINDS = {
  timeseries: { panel: "Panel", options: "TimeSeries.Options", style: "TimeSeries.FieldConfig" },
  stat: { panel: "Panel", options: "Stat.Options", style: "Record<string, never>" },
  row: { panel: "RowPanel" },
};

const panels = dashboard.panels.flatMap((panel) => {
  const kind = KINDS[panel.type];
  if (!kind) throw new Error(`unknown panel type ${panel.type}`);
  const constant = (name, type, value) =>
    `const ${name}${panel.id}: Plain<${type}> = ${JSON.stringify(value)};`;
  const whole = constant("panel", kind.panel, panel);
  if (!kind.options) return [whole];
  return [
    whole,
    constant("options", kind.options, panel.options),
    constant("style", kind.style, panel.fieldConfig.defaults.custom),
  ];
});
const source = `
import type { Dashboard, Panel, RowPanel } from "@grafana/schema";
import type * as TimeSeries from "${OF_PANELS}/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
import type * as Stat from "${OF_PANELS}/stat/panelcfg/x/StatPanelCfg_types.gen";

/** A type with the values of its enums in place of these. */
type Plain<T> = T extends string ? \`\${T}\`
  : T extends number | boolean | null | undefined ? T
  : T extends (infer Item)[] ? Plain<Item>[]
  : T extends object ? { [Key in keyof T]: Plain<T[Key]> }
  : T;

const dashboard: Plain<Dashboard> = ${JSON.stringify(dashboard)};
${panels.join("\n")}
`;

const name = join(import.meta.dirname, "dashboard.generated.ts");
const options = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ES2022,
  types: [],
};
const host = ts.createCompilerHost(options);
const { fileExists, getSourceFile } = host;
host.fileExists = (path) => path === name || fileExists(path);
host.getSourceFile = (path, ...rest) =>
  path === name ? ts.createSourceFile(path, source, options.target) : getSourceFile(path, ...rest);
const program = ts.createProgram([name], options, host);
const problems = ts.getPreEmitDiagnostics(program).map((problem) => {
  const text = ts.flattenDiagnosticMessageText(problem.messageText, "\n");
  const at = problem.start ?? 0;
  return `${text}\n  at ${source.slice(at, at + 160).split("\n")[0]}`;
});
if (dashboard.schemaVersion !== defaultDashboard.schemaVersion) {
  const { schemaVersion } = defaultDashboard;
  problems.push(`the dashboard has the schema version ${dashboard.schemaVersion}, but Grafana's types have ${schemaVersion}`);
}
if (problems.length > 0) {
  console.error(problems.join("\n\n"));
  process.exit(1);
}
console.log(`the dashboard and its ${dashboard.panels.length} panels and rows match Grafana's types`);
