import postman from 'openapi-to-postmanv2';

interface Item {
  readonly name: string;
  readonly item?: readonly Item[];
  readonly request?: {
    readonly method: string;
    readonly url: { readonly host: readonly string[]; readonly path: readonly string[] };
    /** Null: that of the collection. */
    readonly auth: Auth | null;
    readonly body?: { readonly raw?: string };
  };
}

interface Pair {
  readonly key: string;
  readonly value: string;
}

interface Auth {
  readonly type: string;
  readonly apikey?: readonly Pair[];
}

interface Collection {
  readonly auth: Auth;
  readonly item: readonly Item[];
  readonly variable: readonly Pair[];
}

interface PostmanRequest {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly auth: object;
  readonly body: string;
}

/** Imports an OpenAPI document as Postman does. */
export async function toPostman(source: string): Promise<{
  readonly auth: object;
  readonly variables: Readonly<Record<string, string>>;
  readonly requests: readonly PostmanRequest[];
}> {
  const collection = await new Promise<Collection>((resolve, reject) => {
    const options = { folderStrategy: 'Tags', parametersResolution: 'Example' } as const;
    postman.convertV2({ type: 'string', data: source }, options, (error, { result, reason, output = [] }) => {
      if (result) resolve(output[0]?.data as Collection);
      else reject(error ?? new Error(reason));
    });
  });
  return {
    auth: valuesOfAuth(collection.auth),
    variables: valuesOf(collection.variable),
    requests: requestsIn(collection.item),
  };
}

const valuesOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]));

const valuesOfAuth = (auth: Auth | null): object =>
  auth ? { type: auth.type, ...valuesOf(auth.apikey ?? []) } : {};

const requestsIn = (items: readonly Item[]): PostmanRequest[] =>
  items.flatMap(({ name, item = [], request }) => [
    ...requestsIn(item),
    ...(request
      ? [
          {
            name,
            method: request.method,
            url: [...request.url.host, ...request.url.path].join('/'),
            auth: valuesOfAuth(request.auth),
            body: request.body?.raw ?? '',
          },
        ]
      : []),
  ]);
