/** The package has no types of its own. */
declare module 'openapi-to-postmanv2' {
  interface Conversion {
    readonly result: boolean;
    readonly reason?: string;
    readonly output?: readonly { readonly type: string; readonly data: unknown }[];
  }

  export function convertV2(
    input: { readonly type: 'string'; readonly data: string },
    options: { readonly folderStrategy: 'Tags'; readonly parametersResolution: 'Example' },
    done: (error: Error | null, conversion: Conversion) => void,
  ): void;
}
