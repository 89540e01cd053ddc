// The look of a letter: a sheet of paper on screen and in print, from the system's own fonts. No external resource, no script.

export const LETTER_STYLE: string = `
:root { color-scheme: light; --ink: #1d1b18; --soft: #5c574f; --line: #d9d3c7; --tint: #f6f3ec; --accent: #7a2e1f; }
* { box-sizing: border-box; }
body { margin: 0; background: #ece8df; color: var(--ink); font: 400 11.5pt/1.55 Charter, "Bitstream Charter", "Source Serif 4", "Sitka Text", Cambria, Georgia, serif; hyphens: auto; }
main { max-width: 46rem; margin: 2.5rem auto; padding: 3.5rem 4rem; background: #fff; border: 1px solid var(--line); }
header { display: flex; justify-content: space-between; gap: 2rem; padding-bottom: 1.4rem; border-bottom: 1px solid var(--line); }
.mark { color: var(--accent); font-size: 1.9rem; line-height: 1; }
.mark small { display: block; margin-top: .5rem; color: var(--soft); font-size: .82rem; font-style: italic; }
.facts { display: grid; grid-template-columns: auto auto; gap: .1rem 1rem; margin: 0; font-size: .86rem; line-height: 1.5; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; hyphens: none; }
h1 { margin: 2.2rem 0 1rem; font-size: 1.75rem; font-weight: 600; line-height: 1.2; text-wrap: balance; }
h2 { margin: 2rem 0 .5rem; font-size: 1.06rem; font-weight: 600; break-after: avoid; }
p { margin: .5rem 0; orphans: 3; widows: 3; }
.status { margin: 0 0 1.1rem; padding: .7rem 1rem; background: var(--tint); border-left: 3px solid var(--accent); }
.status b { font-weight: 600; }
table { width: 100%; margin: .7rem 0; border-collapse: collapse; font-size: .95rem; font-variant-numeric: tabular-nums; hyphens: none; }
th, td { padding: .38rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: baseline; overflow-wrap: anywhere; }
thead th { color: var(--soft); font-size: .82rem; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; } tfoot th, tfoot td { border-bottom: 0; font-weight: 600; }
.number { width: 8.5rem; text-align: right; }
tr, li, .code { break-inside: avoid; }
.note { color: var(--soft); font-size: .9rem; }
ul { margin: .5rem 0; padding-left: 1.2rem; } li { margin: .3rem 0; }
code, pre { font-family: ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: .82rem; }
pre { margin: .7rem 0; padding: .8rem 1rem; background: var(--tint); white-space: pre-wrap; overflow-wrap: anywhere; hyphens: none; }
.code { margin: 1rem 0; padding: .9rem 1rem; border: 1px solid var(--line); hyphens: none; }
.code b { display: block; font-size: .82rem; color: var(--soft); font-weight: 600; }
.code code { display: block; margin: .3rem 0; font-size: 1rem; letter-spacing: .03em; line-height: 1.7; overflow-wrap: anywhere; }
footer { margin-top: 2.4rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .86rem; }
@media (max-width: 46rem) { main { margin: 0; padding: 1.5rem 1.2rem; border: 0; } header { flex-direction: column; gap: 1rem; } .number { width: auto; } }
@page { size: A4; margin: 20mm 22mm; }
@media print { body { background: #fff; font-size: 10.5pt; } main { max-width: none; margin: 0; padding: 0; border: 0; } .status, pre { print-color-adjust: exact; } }
`.trim();
