import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import '../src/app.module.js';
import { listDeclaredVariables } from '../src/shared/config/declared-variables.js';
import { isSecretVariable, toFileVariableName } from '../src/shared/config/secrets/secret-files.js';

/*
 * npm run docs:configuration: writes docs/configuration.md and .env.example from the declared environment variables.
 * With --check, writes nothing and fails if a file is out of date.
 */

type Variable = { name: string; heading: string; initial: string; required: string; meaning: string };
type Described = { description?: string; default?: string | number | boolean | readonly string[]; required?: string };

const headings = [...new Set(listDeclaredVariables().map(({ heading }) => heading))];
const variables: Variable[] = listDeclaredVariables().flatMap(({ heading, shape }) =>
  Object.entries(shape).map(([name, schema]) => {
    const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Described;
    if (described.description === undefined) throw new Error(`${name} has no description: add .describe('…')`);
    const { default: initial, required = '' } = described;
    const file = isSecretVariable(schema) ? ` Or in a file: \`${toFileVariableName(name)}\`.` : '';
    return { name, heading, initial: formatDefault(initial), required, meaning: described.description + file };
  }),
);

function formatDefault(initial: Described['default']): string {
  return String(initial ?? '');
}

const anchor = (heading: string) => heading.toLowerCase().replaceAll(' ', '-');
const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function section(heading: string): string[] {
  const rows = variables
    .filter((variable) => variable.heading === heading)
    .map(({ name, initial, required, meaning }) =>
      row([`\`${name}\``, initial === '' ? '' : `\`${initial}\``, required === '' ? 'no' : required, meaning]),
    );
  return ['', `## ${heading}`, '', row(['Variable', 'Default', 'Required', 'Meaning']), '|---|---|---|---|', ...rows];
}

const page = [
  '# Configuration',
  '',
  'The environment variables of the service. They are read and validated once, at start. If a value is wrong, the service does not start and prints',
  'one line for each wrong variable. A variable that is empty or blank counts as absent.',
  '',
  'A secret can stand in a file instead, as Kubernetes and Compose provide it: `JWT_SECRET_FILE=/run/secrets/jwt-secret`',
  'instead of `JWT_SECRET`. A line break at the end of the file is ignored. The table names the variables that allow it.',
  '',
  '<!-- Written by `npm run docs:configuration` from the declarations in src. Change those, not this page. -->',
  '',
  ...headings.map((heading) => `- [${heading}](#${anchor(heading)})`),
  ...headings.flatMap(section),
  '',
].join('\n');

const example = [
  '# Environment variables with their defaults, from docs/configuration.md. Copy this file to .env, set what you need,',
  '# and load it into a shell by: set -a; . ./.env; set +a',
  '# Written by `npm run docs:configuration`. Do not edit.',
  ...headings.flatMap((heading) => [
    '',
    `## ${heading}`,
    ...variables
      .filter((variable) => variable.heading === heading)
      .flatMap(({ name, initial, required, meaning }) => [
        `# ${meaning.replaceAll('`', '')}${required === '' ? '' : ` Required ${required.replaceAll('`', '')}.`}`,
        `#${name}=${/^[\w./:-]*$/.test(initial) ? initial : `'${initial}'`}`,
      ]),
  ]),
  '',
].join('\n');

for (const [file, content] of Object.entries({ 'docs/configuration.md': page, '.env.example': example })) {
  if (!process.argv.includes('--check')) writeFileSync(file, content);
  else if (readFileSync(file, 'utf8') !== content) {
    process.stderr.write(`${file} is not current: npm run docs:configuration\n`);
    process.exitCode = 1;
  }
}
