import { CommandError } from '../command-error.js';
import { parseClinicId, parseCommandLine, printLine, UsageError } from '../command-line.js';
import { deleteMovedClinic } from '../move/delete-clinic.js';
import { exportClinic, previewExport, sumRows } from '../move/export-clinic.js';
import { openInstallationKeys, requirePostgresqlServer } from '../move/move-connection.js';
import { cancelMoveAway, confirmMoveAway, MoveCancelledError } from '../move/move-state.js';
import { describeRevocations } from '../move/revocations.js';
import { ProgressBar } from '../progress/progress-bar.js';
import { describeCommandError, runCommand } from '../run-command.js';

const HELP = `npm run export-clinic -- --clinic N --recipient age1… --output FILE: moves a Clinic to another installation, with its ids. From now
on, this installation refuses to change it (409) and sends none of its reminders. Writes its rows and keys to FILE, encrypted for
the receiver (npm run import-clinic -- --new-identity). Can be repeated, with another FILE, until the move is confirmed.

  --clinic N            the id of the Clinic
  --dry-run             counts the rows that would move, and changes nothing
  --confirm RECEIPT     confirms that the Clinic was imported, with the receipt of the import; prints the code that opens it there.
                        From then on, the move cannot be cancelled
  --cancel              opens the Clinic here again. If it was imported, discard it there
  --delete CODE         deletes the closed rows of a Clinic, its audit trail included, and destroys its data keys here, with the code
                        that the other installation prints when the Clinic is opened there. The Clinic cannot return to this
                        installation`;

await runCommand(async () => {
  const { values } = parseCommandLine(HELP, {
    clinic: { type: 'string' },
    recipient: { type: 'string' },
    output: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    confirm: { type: 'string' },
    cancel: { type: 'boolean', default: false },
    delete: { type: 'string' },
  });
  const clinicId = parseClinicId(values.clinic);
  requirePostgresqlServer();
  const { recipient, output, confirm: receipt, delete: code } = values;
  const isExport = recipient !== undefined || output !== undefined;
  const others = [values['dry-run'], receipt !== undefined, values.cancel, code !== undefined];
  if ([isExport, ...others].filter(Boolean).length !== 1)
    throw new UsageError('Give --recipient and --output, or --dry-run, --confirm, --cancel or --delete. See --help.');
  if (values['dry-run']) await preview(clinicId);
  else if (receipt !== undefined) await confirm(clinicId, receipt);
  else if (values.cancel) await cancel(clinicId);
  else if (code !== undefined) await remove(clinicId, code);
  else await move(clinicId, recipient, output);
});

async function preview(clinicId: number): Promise<void> {
  const counts = await previewExport(clinicId, await openInstallationKeys());
  for (const { section, rows } of counts) if (rows > 0) printLine(`${section}: ${rows} row(s)`);
  printLine(`dry run: ${sumRows(counts)} row(s) would move, nothing was changed`);
}

async function confirm(clinicId: number, receipt: string): Promise<void> {
  const { code, revocations } = await confirmMoveAway(clinicId, receipt);
  printLine(`The move of Clinic ${clinicId} is confirmed. Open it in the other installation:`);
  printLine(`npm run import-clinic -- --clinic ${clinicId} --open ${code}`);
  const missing = describeRevocations(revocations);
  if (missing.length === 0) return;
  printLine('These tokens were revoked after the file was written. Revoke them in the other installation as well:');
  for (const line of missing) printLine(line);
}

async function cancel(clinicId: number): Promise<void> {
  await cancelMoveAway(clinicId);
  printLine(`Clinic ${clinicId} is open again. If it was imported, discard it there:`);
  printLine(`npm run import-clinic -- --clinic ${clinicId} --discard`);
}

async function remove(clinicId: number, code: string): Promise<void> {
  const deleted = await deleteMovedClinic(clinicId, code, await openInstallationKeys());
  printLine(`${deleted} row(s) of Clinic ${clinicId} were deleted, and its data keys destroyed.`);
}

async function move(clinicId: number, recipient: string | undefined, output: string | undefined): Promise<void> {
  if (recipient === undefined || output === undefined)
    throw new UsageError('--recipient and --output belong together.');
  const keys = await openInstallationKeys();
  const bar = new ProgressBar(process.stderr);
  let isClosed = false;
  const exporting = exportClinic(
    { clinicId, recipient, output, keys },
    {
      onClosed: () => (isClosed = true),
      onWait: (count, what) => bar.update(count, undefined, what),
      onRows: (done, total) => bar.update(done, total, 'rows'),
    },
  );
  const counts = await exporting
    .finally(() => bar.end())
    .catch((error: unknown) => {
      throw isClosed && !(error instanceof MoveCancelledError) ? toClosedError(clinicId, error) : error;
    });
  printLine(`${sumRows(counts)} row(s) of ${counts.length - 1} tables are in ${output}`);
  printLine(
    `Clinic ${clinicId} cannot be changed here any more. Import the file, then confirm the move with its receipt.`,
  );
}

/** Adds the advice for a Clinic that the failed export has closed. */
function toClosedError(clinicId: number, error: unknown): CommandError {
  const advice =
    `Clinic ${clinicId} is closed here, and there is no file. Repeat the export, or open the Clinic again: ` +
    `npm run export-clinic -- --clinic ${clinicId} --cancel`;
  return new CommandError(`${describeCommandError(error)}\n${advice}`, { cause: error });
}
