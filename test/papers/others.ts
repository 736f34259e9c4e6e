/** Other tests run these blocks. A block has its first line as its name, and a test has its file and a text in it. */
export const ELSEWHERE: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'npm ci && npm start': ['test/seed/start.program.test.ts', "'seed/commands/start.ts'"],
  'npm run build': ['test/serve/own.program.test.ts', 'startOwn'],
  "npm run load -- quakes.csv --series 'Earthquakes' --start when --x east --y north --value place": [
    'test/seed/examples.program.test.ts',
    'the examples of "First load" work in order',
  ],
  "since=$(date -u -d '26 hours ago' +%Y-%m-%dT%H:%M:%SZ)": [
    'test/seed/sync.program.test.ts',
    '### A night, from cron to mail',
  ],
  'npm run follow --silent -- --from https://ADDRESS --persist-to standby': [
    'test/seed/follow.program.test.ts',
    '--once',
  ],
  'npm run compare --silent -- /var/log/nginx/access.log* --old https://OLD --new https://NEW --path /api/': [
    'test/seed/compare.program.test.ts',
    "'--path'",
  ],
  'npm run backup -- /var/backups/events.sqlite --persist-to /var/lib/events': [
    'test/serve/backup.program.test.ts',
    "'backup'",
  ],
  'PGPASSWORD=... npm start -- --postgres postgres://events_reader@localhost/events': [
    'test/postgres/start.program.test.ts',
    'npm start -- --postgres',
  ],
}

const CLOUDFLARE = 'needs an account at Cloudflare'
const SUPERUSER = 'needs root and systemd'
const REGISTRY = 'installs packages from a registry'

/** No test runs these blocks, for a reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'git clone CODE events': REGISTRY,
  'npm ci': REGISTRY,
  'npm install openapi-fetch && npx openapi-typescript http://localhost:8787/openapi.json --output api.d.ts': REGISTRY,
  'openapi-python-client generate --url http://localhost:8787/openapi.json': REGISTRY,
  'npm run export -- events.ndjson.gz --from https://NEW --key KEY --complete': CLOUDFLARE,
  'curl -X PUT https://api.cloudflare.com/client/v4/accounts/ACCOUNT/d1/database/ID \\': CLOUDFLARE,
  'npm run wrangler -- d1 export DB --remote --output dump.sql': CLOUDFLARE,
  'git pull && npm ci': CLOUDFLARE,
  'apt install git npm nginx': SUPERUSER,
  'adduser --system --group --no-create-home events': SUPERUSER,
  'cp deploy/events.service /etc/systemd/system/': SUPERUSER,
  'apt install certbot && certbot certonly --webroot -w /var/www/html -d events.example.org': SUPERUSER,
  'systemctl stop events': SUPERUSER,
  "psql -d events -c '\\password events_reader'": 'asks for a password at a terminal',
  'pg_basebackup --checkpoint=fast -R -X stream -D FOLDER -d postgres://HOST/postgres': 'needs a second server',
}
