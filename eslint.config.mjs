import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist/**', 'node_modules/**', '.data/**', '**/*.mjs', '**/*.cjs'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A Nest module is an empty class with a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      // A method that implements an asynchronous interface need not wait for anything.
      '@typescript-eslint/require-await': 'off',
      // The class of a value such as `Environment` is its injection token, and the value is created as a literal.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // `noUncheckedIndexedAccess` requires the assertion even where the index was checked before.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'no-restricted-globals': [
        'error',
        { name: 'Date', message: 'Use the Clock for the current time, and Temporal for calculations.' },
      ],
    },
  },
  {
    // A migration is a list of SQL statements.
    files: ['src/migrations/**'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    // Modules that answer requests query through TenantEntityManager, whose conditions require a Clinic. Excepted are
    // modules without records of Clinics, and jobs, which serve all Clinics.
    files: ['src/*/**'],
    ignores: [
      'src/{audit,cli,instance,limits,migrations,ops,request,scheduler,shared,zone-data}/**',
      'src/reminder/{delivery,dispatch,metrics,outcome,queue}/**',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: ['@mikro-orm/core', '@mikro-orm/postgresql', '@mikro-orm/sql'].map((name) => ({
            name,
            importNames: ['EntityManager', 'MikroORM', 'SqlEntityManager'],
            message:
              'Use TenantEntityManager, whose queries are restricted to a Clinic. For a job, see CONTRIBUTING.md, "Add a scheduled job".',
          })),
        },
      ],
    },
  },
  {
    // Commands run without the service, and so without its `Clock`.
    files: ['src/**'],
    ignores: [
      'src/cli/**',
      'src/audit/command/**',
      'src/shared/config/**',
      'src/shared/time/system-time.ts',
      '**/*.spec.ts',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Temporal', property: 'Now', message: 'Use the Clock for the current time.' },
        {
          object: 'process',
          property: 'env',
          message: 'Declare the variable: CONTRIBUTING.md, "Add an environment variable".',
        },
      ],
    },
  },
  {
    // The client runs in browsers, where there is no `Clock`.
    files: ['src/client/**'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    // Markup takes more lines than statements.
    files: ['src/console/web/**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['src/console/web/**/*.text.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['src/client/generated.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['test/**', '**/*.spec.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      // Responses have no types in tests, because the tests check their form.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-restricted-globals': 'off',
    },
  },
);
