// The issuer that tests sign in at: oidc-provider with a client for people and some for services.
//
//     node provider.mjs '{"port": 9000, "keys": […]}'
//
// keys are private, as a JWKS lists them; the package is that of SCOPS_ISSUER_FOLDER.
import { createRequire } from 'node:module';

const { default: Provider } = createRequire(`${process.env.SCOPS_ISSUER_FOLDER}/`)('oidc-provider');
const { port, keys } = JSON.parse(process.argv[2]);
const people = {
  ann: { email: 'ann@example.org', email_verified: true, groups: ['team'] },
  bob: { email: 'bob@example.org', email_verified: true, groups: [] },
};
const HOUR = 3600;
const LASTS = { mayfly: 1 };
const AUDIENCES = { stranger: 'urn:example:elsewhere' };

const service = (client_id) => ({
  client_id,
  client_secret: `${client_id}-secret`,
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
});

const provider = new Provider(`http://127.0.0.1:${port}`, {
  clients: [
    {
      client_id: 'scops-cli',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      response_types: [],
      redirect_uris: [],
    },
    ...['robot', 'mayfly', 'stranger'].map(service),
  ],
  jwks: { keys },
  cookies: { keys: ['of this run'] },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
  scopes: ['openid', 'email', 'groups', 'offline_access'],
  extraTokenClaims: (_ctx, token) => people[token.accountId],
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  ttl: {
    AccessToken: HOUR,
    ClientCredentials: (_ctx, _token, client) => LASTS[client.clientId] ?? HOUR,
    IdToken: HOUR,
  },
  features: {
    clientCredentials: { enabled: true },
    deviceFlow: { enabled: true },
    devInteractions: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, client) => AUDIENCES[client.clientId] ?? 'urn:example:scops',
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, audience) => ({
        scope: 'openid email groups',
        audience,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
});
provider.on('server_error', (_ctx, error) => console.error(error));
provider.listen(port, '127.0.0.1', () => console.log('ready'));
