import { rolldown, type OutputOptions, type RolldownOptions } from 'rolldown';
import { loadConfig } from 'rolldown/config';

/* A step of the build: bundles the service as rolldown.config.mjs says. The command `rolldown` would list each file. */

const { output, ...input } = (await loadConfig('rolldown.config.mjs')) as RolldownOptions & { output: OutputOptions };
const bundle = await rolldown({ ...input, logLevel: 'warn' });
await bundle.write(output);
await bundle.close();
