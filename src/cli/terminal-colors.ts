/* Imported before Nest, because its logger colours its lines in a file as well. */

if (!process.stdout.isTTY) process.env['NO_COLOR'] ??= '1';
