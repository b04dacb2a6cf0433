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
      // Nest modules are classes whose decorators say everything.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      // Ports and hooks are async by contract, whether or not an implementation has to wait.
      '@typescript-eslint/require-await': 'off',
      // Value objects such as the environment are made as literals of their class, which is their injection token.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // An index that was just checked; `noUncheckedIndexedAccess` asks for it.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      'max-lines': ['error', { max: 200, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'no-restricted-globals': ['error', { name: 'Date', message: 'Ask the Clock; calendar arithmetic is Temporal.' }],
    },
  },
  {
    // Migrations are history, told statement by statement.
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
            message: 'Use TenantEntityManager, whose queries are restricted to a Clinic.',
          })),
        },
      ],
    },
  },
  {
    // The client runs in browsers, so it has the clock of the platform alone.
    files: ['src/client/**'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    // The console: markup takes more lines than statements, and texts more than code.
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
      // Answers are whatever the service sends: their shape is what the tests look at.
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
