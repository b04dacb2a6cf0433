/** The style sheet. Colours are variables, which dark mode and print redefine. */
export const PAGE_STYLE_SHEET = `
:root {
  color-scheme: light dark;
  --page: #f5f4ef; --card: #fff; --ink: #1b2430; --muted: #5a6473; --line: #e1dfd6; --row: #faf9f5; --quiet: #e6e4f1;
  --session: #3059c9; --sent: #15795a; --deferred: #b46300; --withdrawn: #707a89; --fault: #bf2a2a; --clock: #97309a; --done: #0a7285;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #11141a; --card: #191d25; --ink: #e9ebef; --muted: #a0a9b7; --line: #2d333f; --row: #1f242e; --quiet: #2a2d45;
    --session: #86a8ff; --sent: #4fc790; --deferred: #f3b14d; --withdrawn: #929bab; --fault: #ff8078; --clock: #e292e4; --done: #53c6da;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; }
main { max-width: 1280px; margin: 0 auto; padding: 40px 28px 64px; }
h1 { font-size: 2rem; line-height: 1.2; letter-spacing: -.015em; margin: 0 0 6px; }
h2 { font-size: 1.15rem; margin: 0 0 12px; }
p { margin: 0; max-width: 75ch; }
.lead, footer { color: var(--muted); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 26px 0; }
dl div { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 12px 16px 10px; display: flex; flex-direction: column-reverse; }
dt { color: var(--muted); font-size: .85rem; line-height: 1.3; }
dd { margin: 0; font-size: 1.75rem; font-weight: 650; line-height: 1.25; font-variant-numeric: tabular-nums; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 16px; padding: 22px 24px; margin: 0 0 20px; }
.scroll { overflow-x: auto; }
.warnings { padding: 14px 24px; border-left: 5px solid var(--clock); }
.faults { padding: 14px 24px; border-left: 5px solid var(--fault); color: var(--fault); }
.warnings p + p, .faults p + p { margin-top: 6px; }
ul { list-style: none; margin: 0 0 14px; padding: 0; display: flex; flex-wrap: wrap; gap: 6px 22px; font-size: .86rem; color: var(--muted); }
li { display: inline-flex; align-items: center; gap: 7px; white-space: nowrap; }
li svg { flex: none; overflow: visible; }
figure { margin: 0; }
figure > .scroll > svg { display: block; width: 100%; min-width: 900px; height: auto; }
svg text { fill: var(--ink); font-size: 13px; }
svg .weekday { fill: var(--muted); text-anchor: middle; font-weight: 600; }
svg .week { font-size: 15px; font-weight: 650; }
svg .dates { fill: var(--muted); font-size: 12.5px; }
svg .time { font-weight: 650; font-variant-numeric: tabular-nums; paint-order: stroke; stroke: var(--row); stroke-width: 3px; }
svg .offset { fill: var(--muted); font-weight: 400; font-size: 11px; }
svg .row { fill: var(--row); }
svg .quiet { fill: var(--quiet); }
svg .midnight { stroke: var(--line); }
svg .session { fill: var(--session); stroke: var(--session); stroke-width: 1.5; }
svg .session.cancelled { fill: none; stroke-dasharray: 4 3; }
svg .mark { fill: var(--row); stroke: var(--ink); stroke-width: 1.8; stroke-linejoin: round; }
svg .sent, svg .deferred { stroke: var(--row); stroke-width: 3; paint-order: stroke; }
svg .sent { fill: var(--sent); }
svg .deferred { fill: var(--deferred); }
svg .due { stroke: var(--deferred); }
svg .withdrawn { stroke: var(--withdrawn); }
svg .not_sent { stroke: var(--fault); }
svg .tail { stroke: var(--deferred); stroke-width: 1.8; stroke-dasharray: 3 3; fill: none; }
svg .done { fill: none; stroke: var(--done); stroke-width: 2.4; stroke-linecap: round; stroke-linejoin: round; }
svg .clock { stroke: var(--clock); stroke-width: 2; stroke-dasharray: 6 3; fill: none; }
svg .clock-label { fill: var(--clock); font-size: 12px; font-weight: 650; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); padding-bottom: 10px; }
th, td { text-align: left; padding: 6px 12px 6px 0; vertical-align: baseline; border-bottom: 1px solid var(--line); }
thead th { font-size: .82rem; color: var(--muted); }
tbody th { font-weight: 400; white-space: nowrap; width: 11em; }
tbody th span { display: inline-block; min-width: 6.2em; }
.group th { padding-top: 22px; font-weight: 650; font-size: 1.02rem; }
.group th span { min-width: 0; margin-left: 6px; font-weight: 400; font-size: .92rem; color: var(--muted); }
.session-row th, .session-row td:nth-child(2) { font-weight: 650; color: var(--session); }
.clock-row { color: var(--clock); }
.tag { font-weight: 600; margin-right: 4px; }
.sent-tag { color: var(--sent); } .deferred-tag { color: var(--deferred); } .withdrawn-tag { color: var(--withdrawn); }
.not_sent-tag { color: var(--fault); } .done-tag { color: var(--done); }
footer { margin-top: 28px; font-size: .86rem; }
@media print {
  :root {
    --page: #fff; --card: #fff; --ink: #000; --muted: #444; --line: #ccc; --row: #f7f7f5; --quiet: #e3e1ee;
    --session: #3059c9; --sent: #15795a; --deferred: #b46300; --withdrawn: #666; --fault: #bf2a2a; --clock: #97309a; --done: #0a7285;
  }
  @page { size: A4; margin: 13mm; }
  body { font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  main { padding: 0; }
  h1 { font-size: 1.6rem; }
  dl { grid-template-columns: repeat(6, 1fr); gap: 6px; margin: 12px 0; }
  dl div { padding: 6px 8px; }
  dd { font-size: 1.2rem; }
  section { border: 0; padding: 0; }
  .scroll { overflow: visible; }
  figure > .scroll > svg { min-width: 0; }
  figure, tr { break-inside: avoid; }
  .group { break-after: avoid; }
}
`;
