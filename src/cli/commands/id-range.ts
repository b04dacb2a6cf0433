import { describeError } from '../backup/connection.js';
import { parseCommandLine, UsageError } from '../command-line.js';
import { LAST_ID_RANGE, readIdRange, setIdRange } from '../move/id-range.js';
import { requireServer } from '../move/move-connection.js';

const HELP = `npm run id-range [-- --number N]: prints from which range the ids of new records come, or sets it.

  --number N   range N, 0 to ${LAST_ID_RANGE}: the ids from N * 2^40. Range 0 is the default

Give each installation another number before its first use, so that no id exists in two of them. Ids that were assigned
before stay as they are. A range that was in use before cannot be set again.`;

try {
  const { values } = parseCommandLine(HELP, { number: { type: 'string' } });
  requireServer();
  if (values.number !== undefined) await setIdRange(parseNumber(values.number));
  const { number, first, last } = await readIdRange();
  process.stdout.write(`range ${number}: ids from ${first} to ${last}\n`);
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`);
  process.exitCode = 1;
}

function parseNumber(text: string): number {
  const number = Number(text);
  if (!/^\d{1,4}$/.test(text) || number > LAST_ID_RANGE)
    throw new UsageError(`--number must be an integer from 0 to ${LAST_ID_RANGE}.`);
  return number;
}
