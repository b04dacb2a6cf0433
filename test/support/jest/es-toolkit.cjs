const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

// `@nestjs/swagger` imports the 428 files of `es-toolkit/compat`, and Jest loads them anew for each test file. The package
// also has them in one file, which declares the variable `_`.
const bundle = join(dirname(require.resolve('es-toolkit/package.json')), 'dist/browser.global.js');
module.exports = new Function(`${readFileSync(bundle, 'utf8')};return _`)();
