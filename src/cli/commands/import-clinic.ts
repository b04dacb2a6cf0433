import { parseClinicId, parseCommandLine, printLine, UsageError } from '../command-line.js';
import { discardImportedClinic } from '../move/discard-clinic.js';
import { createIdentityFile, readIdentityFile } from '../move/encrypted-file.js';
import { sumRows } from '../move/export-clinic.js';
import { importClinic } from '../move/import-clinic.js';
import { countRowsToEncrypt, openInstallationKeys, requirePostgresqlServer } from '../move/move-connection.js';
import { openImportedClinic } from '../move/move-state.js';
import { ProgressBar } from '../progress/progress-bar.js';
import { runCommand } from '../run-command.js';

const HELP = `npm run import-clinic -- --identity KEY --input FILE: adds a Clinic that another installation has exported (npm run
export-clinic), with its ids, and compares each row. It can be read, but not changed, and none of its reminders is sent, until it is opened.
Prints a receipt, with which the other installation confirms the move.

  --new-identity KEY   writes a new private key to KEY, and prints the public key for the export
  --identity KEY       file with the private key, also one of age-keygen
  --input FILE         the exported Clinic
  --dry-run            imports and compares everything, then takes it back
  --clinic N           the id of the Clinic, for the following
  --open CODE          opens the Clinic, with the code that the other installation prints when the move is confirmed; prints
                       the code that deletes the Clinic there
  --discard            deletes the Clinic again that is not open, because the other installation has cancelled the move`;

await runCommand(async () => {
  const { values } = parseCommandLine(HELP, {
    'new-identity': { type: 'string' },
    identity: { type: 'string' },
    input: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    clinic: { type: 'string' },
    open: { type: 'string' },
    discard: { type: 'boolean', default: false },
  });
  const { identity, input, open: code } = values;
  const newIdentity = values['new-identity'];
  const isImport = identity !== undefined || input !== undefined;
  if ([newIdentity !== undefined, isImport, code !== undefined, values.discard].filter(Boolean).length !== 1)
    throw new UsageError('Give --identity and --input, or --new-identity, --open or --discard. See --help.');
  // The file names the Clinic of an import.
  if (values.clinic !== undefined && code === undefined && !values.discard)
    throw new UsageError('--clinic needs --open or --discard. See --help.');
  if (values['dry-run'] && !isImport) throw new UsageError('--dry-run needs --identity and --input. See --help.');
  if (newIdentity !== undefined) printLine(await createIdentityFile(newIdentity));
  else {
    requirePostgresqlServer();
    if (isImport) await add(identity, input, values['dry-run']);
    else if (code === undefined) await discard(parseClinicId(values.clinic));
    else await open(parseClinicId(values.clinic), code);
  }
});

async function add(identity: string | undefined, input: string | undefined, isDryRun: boolean): Promise<void> {
  if (identity === undefined || input === undefined) throw new UsageError('--identity and --input belong together.');
  const decrypter = readIdentityFile(identity);
  const bar = new ProgressBar(process.stderr);
  const onRows = (done: number) => bar.update(done, undefined, 'rows');
  const keys = await openInstallationKeys();
  const importing = importClinic({ input, decrypter, keys, isDryRun, onRows });
  const { clinicId, counts, receipt, ...rest } = await importing.finally(() => bar.end());
  if (isDryRun && counts !== undefined) {
    for (const { section, rows } of counts) if (rows > 0) printLine(`${section}: ${rows} row(s)`);
    printLine(
      `dry run: ${sumRows(counts)} row(s) and ${rest.keys} key(s) of Clinic ${clinicId} fit, nothing was changed`,
    );
    return;
  }
  const result =
    counts === undefined
      ? `Clinic ${clinicId} was imported before.`
      : `${sumRows(counts)} row(s) of Clinic ${clinicId} are as they were, and ${rest.keys} key(s).`;
  printLine(`${result} Confirm the move there:`);
  printLine(`npm run export-clinic -- --clinic ${clinicId} --confirm ${receipt!}`);
  // Rows are imported as they are. Until the Clinic is open, they cannot be encrypted.
  const plainRows = await countRowsToEncrypt(clinicId);
  if (plainRows > 0)
    printLine(
      `${plainRows} row(s) are in clear text, as they were there. Once the Clinic is open: npm run encrypt-rows`,
    );
}

async function open(clinicId: number, code: string): Promise<void> {
  const { deletionCode, isRepeated } = await openImportedClinic(clinicId, code);
  printLine(
    isRepeated
      ? `Clinic ${clinicId} was opened before, so the code is not checked. If it is right, this deletes the closed rows in the other installation:`
      : `Clinic ${clinicId} is open. Delete its closed rows in the other installation:`,
  );
  printLine(`npm run export-clinic -- --clinic ${clinicId} --delete ${deletionCode}`);
}

async function discard(clinicId: number): Promise<void> {
  printLine(`${await discardImportedClinic(clinicId)} row(s) of Clinic ${clinicId} were deleted.`);
}
