/** The style sheet. Colours follow the light or dark setting of the system, and phones get a single column. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --paper: #fbfbf9; --card: #fff; --ink: #1d1f23; --soft: #5b616b; --rule: #dcdfe4;
  --product: #2563a8; --yardstick: #8b93a1; --common: #c8792b; --pgbench: #3f8f6b; --pg-boss: #3f8f6b; --good: #23784f; --bad: #b3352f; }
@media (prefers-color-scheme: dark) { :root { --paper: #15171b; --card: #1d2026; --ink: #e8eaee; --soft: #a2a9b5; --rule: #363b44;
  --product: #6ba6ea; --yardstick: #828b9a; --common: #e0995a; --pgbench: #64b993; --pg-boss: #64b993; --good: #6cc79b; --bad: #f08a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.2rem; margin: 40px 0 8px; }
h3 { font-size: .95rem; margin: 0 0 4px; }
p { margin: 6px 0; }
p.note, dd, .lead { color: var(--soft); }
p.note { font-size: .9rem; max-width: 75ch; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 14px; margin: 12px 0; font-size: .9rem; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
.charts { columns: 340px 3; column-gap: 16px; margin: 16px 0; }
figure { break-inside: avoid; margin: 0 0 16px; padding: 14px; background: var(--card); border: 1px solid var(--rule); border-radius: 8px; }
figure.of-flame { column-span: all; overflow-x: auto; } svg.flame { min-width: 900px; font-size: 10px; } svg.flame rect { opacity: .55; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
svg .group { font-weight: 600; } svg .name { text-anchor: end; fill: var(--soft); } svg .figure { text-anchor: end; font-variant-numeric: tabular-nums; }
svg .tick { text-anchor: middle; fill: var(--soft); font-size: 11px; }
.product { fill: var(--product); } .yardstick { fill: var(--yardstick); } .common { fill: var(--common); } .pgbench { fill: var(--pgbench); } .pg-boss { fill: var(--pg-boss); }
.spread { stroke: var(--ink); stroke-width: 1.5; opacity: .65; } .bound { stroke: var(--bad); stroke-width: 2; }
.grid { stroke: var(--rule); } .line { fill: none; stroke: var(--product); stroke-width: 1.5; }
ul.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; margin: 8px 0; list-style: none; font-size: .9rem; }
ul.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: 6px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; } td.text, th.text { text-align: left; }
td.holds { color: var(--good); font-weight: 600; } td.fails { color: var(--bad); font-weight: 600; }
table.bounds td.text:first-child { white-space: normal; min-width: 14ch; }
`;
