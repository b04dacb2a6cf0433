import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig } from 'vite';

/** Writes `<file>.br` and `<file>.gz`, so that the service does not compress the same files for each request. */
const compressFiles = {
  name: 'compress-files',
  async writeBundle({ dir }) {
    const files = (await readdir(dir, { recursive: true })).filter((name) => /\.(js|css|svg|html)$/.test(name));
    await Promise.all(files.map((name) => compress(join(dir, name))));
  },
};

async function compress(file) {
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  await Promise.all([
    writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params })),
    writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 })),
  ]);
}

export default defineConfig({
  base: '/console/',
  resolve: { alias: { '@care-scheduling/client': join(import.meta.dirname, '../../client/index.ts') } },
  build: {
    outDir: '../../../dist/src/console/public',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // The policy of the document forbids inline content.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licenses.md' },
    // Rolldown would warn at each build that the compression takes most of the time.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  plugins: [compressFiles],
});
