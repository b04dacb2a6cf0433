import { parseCommandLine, UsageError } from '../command-line.js';
import { MAX_ID_RANGE_NUMBER, readIdRange, setIdRange } from '../move/id-range.js';
import { requirePostgresqlServer } from '../move/move-connection.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run id-range [-- --number N]: prints from which range the ids of new records come, or sets it.

  --number N   range N, 0 to ${MAX_ID_RANGE_NUMBER}: the ids from N * 2^40. Range 0 is the default

Give each installation another number before its first use, so that no id exists in two of them. Ids that were assigned
before stay as they are. Instances that run use ids of the range before for up to 5 minutes, or until they are restarted.
A range that was in use before cannot be set again.`;

await runCommand(async () => {
  const { values } = parseCommandLine(HELP, { number: { type: 'string' } });
  requirePostgresqlServer();
  if (values.number !== undefined) await setIdRange(parseNumber(values.number));
  const { number, first, last } = await readIdRange();
  process.stdout.write(`range ${number}: ids from ${first} to ${last}\n`);
});

function parseNumber(text: string): number {
  const number = Number(text);
  if (!/^\d{1,4}$/.test(text) || number > MAX_ID_RANGE_NUMBER)
    throw new UsageError(`--number must be an integer from 0 to ${MAX_ID_RANGE_NUMBER}.`);
  return number;
}
