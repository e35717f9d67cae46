import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compile } from './compiler.mjs';

const globals = new URL('globals.mjs', import.meta.url).href;

/** Node's module hooks: TypeScript, workspace packages from source, and the `@jest/globals` of our runtime. */
export function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: globals, shortCircuit: true };
  if (context.parentURL?.endsWith('.ts') && /^\.\.?\/.*\.js$/.test(specifier)) {
    const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
    if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
  }
  return nextResolve(specifier, { ...context, conditions: ['@gangan/source', ...context.conditions] });
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: await compile(fileURLToPath(url)), shortCircuit: true };
}
