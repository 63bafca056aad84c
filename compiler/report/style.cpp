// SPDX-License-Identifier: Apache-2.0
#include "report/style.h"

namespace lathe::report {

const std::string_view styleSheet = R"(
:root { color-scheme: light dark;
  --page: #ffffff; --ink: #1d2129; --faint: #5c6470; --line: #d9dde3; --soft: #f4f6f8; --link: #0b5cad; --bar: #4c8ecf;
  --hot: #e0662c; --box: #eef2f7; --edge: #8b97a6; --input: #e3f0e4; --failed: #f6c9c9; --plus: #dff3e0; --minus: #fbe3e1;
  --compute: #2d7fc4; --memory: #d2782a; --caches: #7d57b8; --sizes: #57936b; --control: #a05c8f; --workspace: #c3a02d; }
@media (prefers-color-scheme: dark) { :root {
  --page: #17191d; --ink: #dde1e7; --faint: #98a1ad; --line: #363b43; --soft: #1f2227; --link: #79b4f0; --bar: #3d78b3;
  --hot: #c8561f; --box: #262b32; --edge: #68727f; --input: #22362a; --failed: #5a2727; --plus: #1d3a24; --minus: #44231f;
  --compute: #5aa5e6; --memory: #e0944f; --caches: #a98ae0; --sizes: #6fb586; --control: #c583b5; --workspace: #d0b04a; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 3.2rem; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", sans-serif; }
nav { position: sticky; top: 0; z-index: 1; background: var(--page); border-bottom: 1px solid var(--line);
  padding: .55rem 1.5rem; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
main { max-width: 1240px; margin: 0 auto; padding: 0 1.5rem 4rem; }
h1 { font-size: 1.5rem; margin: 1.4rem 0 0; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.4rem 0 .4rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; overflow-wrap: anywhere; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
p { margin: .4rem 0; } .note { color: var(--faint); }
code, pre { font: 12.5px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 4px; padding: .6rem .8rem; margin: .4rem 0;
  overflow: auto; max-height: 32rem; }
summary { cursor: pointer; padding: .15rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.4rem; margin: 1rem 0; }
dt { color: var(--faint); } dd { margin: 0; white-space: pre-line; overflow-wrap: anywhere; }
.figures { display: flex; flex-wrap: wrap; gap: .7rem; margin: 1rem 0; }
.figure { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; }
.figure b { display: block; font-size: 1.2rem; } .figure span { color: var(--faint); font-size: .85rem; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; font-size: .9rem; }
th { text-align: left; color: var(--faint); font-weight: 600; border-bottom: 1px solid var(--line); white-space: nowrap; }
th, td { padding: .22rem .7rem .22rem 0; vertical-align: top; }
td { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td:first-child { overflow-wrap: normal; white-space: nowrap; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; }
.sortable th { cursor: pointer; }
tr.off td, tr.unchanged td { color: var(--faint); } tr.failed td { background: var(--failed); }
tr:target td, article:target { background: var(--soft); box-shadow: inset 3px 0 var(--hot); }
article { border: 1px solid var(--line); border-radius: 6px; padding: .2rem 1rem .7rem; margin: .8rem 0; }
.bar { display: block; width: 110px; height: .65rem; margin-top: .35rem; background: var(--soft); border-radius: 2px; }
.bar span { display: block; height: 100%; background: var(--bar); border-radius: 2px; min-width: 1px; }
.problems { padding-left: 1.2rem; } .problems li { overflow-wrap: anywhere; }
.problems .error::marker { color: #d33; } .problems .error { font-weight: 600; }
.removed { background: var(--minus); } .added { background: var(--plus); }
.graph { overflow: auto; max-height: 85vh; border: 1px solid var(--line); border-radius: 6px; margin: .6rem 0; }
.graph svg { display: block; margin: 0 auto; }
.list { font-size: .9rem; } .list details { margin-left: 1rem; } .list .node, .list .failed { margin-left: 1.2rem; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.box text { text-anchor: middle; } .box .sub { fill: var(--faint); font-size: 10.5px; }
.box rect { fill: var(--box); stroke: var(--edge); } .box.input rect { fill: var(--input); }
.box.failed rect, .list .failed { fill: var(--failed); background: var(--failed); }
.box rect.heat { fill: var(--hot); stroke: none; } a.box:hover rect { stroke: var(--hot); stroke-width: 2; }
.arrow { fill: none; stroke: var(--edge); stroke-width: 1.1; } .cut { stroke-dasharray: 3 3; }
.chart { width: 100%; height: auto; margin: .6rem 0; } .chart text { fill: var(--faint); }
.grid { stroke: var(--line); stroke-width: 1; } .roof { fill: none; stroke: var(--ink); stroke-width: 2; }
.roof.one { stroke: var(--edge); stroke-width: 1; }
.point { fill-opacity: .55; stroke-width: 1; } .point:hover { fill-opacity: 1; }
.flame rect { fill: var(--box); stroke: var(--edge); stroke-width: .7; }
.flame rect.heat { fill: var(--hot); stroke: none; } .flame a:hover rect { stroke: var(--hot); stroke-width: 1.5; }
.flame text { fill: var(--ink); font-size: 11.5px; }
.compute { fill: var(--compute); stroke: var(--compute); } .memory { fill: var(--memory); stroke: var(--memory); }
.caches { fill: var(--caches); stroke: var(--caches); }
.swatch { display: inline-block; width: .8rem; height: .8rem; margin: 0 .35rem 0 1rem; border-radius: 50%; vertical-align: -1px; }
.swatch.compute { background: var(--compute); } .swatch.memory { background: var(--memory); }
.swatch.caches { background: var(--caches); } .swatch.value { background: var(--compute); }
.swatch.workspace { background: var(--workspace); } .swatch.sizes { background: var(--sizes); }
.swatch.control { background: var(--control); } .legend .note { margin-left: 1rem; }
.buffer { fill-opacity: .28; stroke-opacity: .55; stroke-width: .7; } .buffer.peak { fill-opacity: .75; }
.buffer.value { fill: var(--compute); stroke: var(--compute); } .buffer.workspace { fill: var(--workspace); stroke: var(--workspace); }
.buffer.sizes { fill: var(--sizes); stroke: var(--sizes); } .buffer.control { fill: var(--control); stroke: var(--control); }
.alive { fill: none; stroke: var(--ink); stroke-width: 1.3; } line.peak { stroke: var(--hot); stroke-width: 1.5; stroke-dasharray: 5 4; }
@media print { nav { display: none; } pre, .graph { max-height: none; overflow: visible; } pre { white-space: pre-wrap; }
  .graph svg { max-width: 100%; height: auto; } article, tr, .chart { break-inside: avoid; } main { max-width: none; padding: 0; } }
)";

const std::string_view script = R"(
function unfold() {
  let element = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!element) return;
  for (let around = element; around; around = around.parentElement) if (around.tagName === 'DETAILS') around.open = true;
  element.scrollIntoView();
}
addEventListener('hashchange', unfold);
unfold();
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.addEventListener('click', () => {
    const key = row => row.cells[column].dataset.value;
    const down = head.dataset.down = head.dataset.down === 'yes' ? 'no' : 'yes';
    const rows = [...table.tBodies[0].rows].sort((a, b) => {
      const order = key(a) === undefined ? b.cells[column].textContent.localeCompare(a.cells[column].textContent)
                                         : key(b) - key(a);
      return down === 'yes' ? order : -order;
    });
    table.tBodies[0].append(...rows);
  }));
}
)";

} // namespace lathe::report
