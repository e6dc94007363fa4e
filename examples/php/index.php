<?php
// A site that people sign in to by a message, with nothing but PHP: no extension beyond OpenSSL, and no package.
// php -S 127.0.0.1:3000 index.php
declare(strict_types=1);

[$issuer, $clientId, $secret, $redirectUri] = array_map(getenv(...), ['GRIOT_AUTH_URL', 'GRIOT_CLIENT_ID', 'GRIOT_CLIENT_SECRET', 'GRIOT_REDIRECT_URI']);

ini_set('display_errors', '0'); // they are in the log
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path !== '/webhook') {
    session_set_cookie_params(['httponly' => true, 'samesite' => 'Lax', 'secure' => str_starts_with($redirectUri, 'https:')]);
    session_start();
}

match ("{$_SERVER['REQUEST_METHOD']} $path") {
    'GET /' => home(),
    'GET /login' => login(),
    'GET ' . parse_url($redirectUri, PHP_URL_PATH) => callback(),
    'POST /logout' => logout(),
    'POST /webhook' => webhook(),
    default => fail(404, 'There is no such page.'),
};

function home(): void
{
    $phone = $_SESSION['phone'] ?? null;
    page($phone === null
        ? '<p>Your telephone number is your account.</p><p><a class="griot-button" href="/login"></a></p>'
        : '<p>Signed in with ' . htmlspecialchars($phone) . '.</p><form method="post" action="/logout"><button>Sign out</button></form>');
}

// login leads to Griot's waiting page, and remembers with what.
function login(): void
{
    global $issuer, $clientId, $redirectUri;
    $_SESSION['login'] = ['state' => bin2hex(random_bytes(16)), 'verifier' => bin2hex(random_bytes(32))];
    redirect($issuer . '/authorize?' . http_build_query([
        'response_type' => 'code',
        'client_id' => $clientId,
        'redirect_uri' => $redirectUri,
        'state' => $_SESSION['login']['state'],
        'code_challenge' => rtrim(strtr(base64_encode(hash('sha256', $_SESSION['login']['verifier'], true)), '+/', '-_'), '='),
        'code_challenge_method' => 'S256',
    ]));
}

// callback is where Griot sends the browser back to. error=access_denied comes without a code.
function callback(): void
{
    global $issuer, $clientId, $secret, $redirectUri;
    $login = $_SESSION['login'] ?? null;
    unset($_SESSION['login']);
    if ($login === null || !hash_equals($login['state'], $_GET['state'] ?? '') || ($_GET['iss'] ?? '') !== $issuer || !isset($_GET['code'])) {
        fail(400, 'The login was not completed.');
    }
    try {
        $answer = fetch("$issuer/oauth2/token", [
            'grant_type' => 'authorization_code',
            'code' => $_GET['code'],
            'redirect_uri' => $redirectUri,
            'code_verifier' => $login['verifier'],
            'client_id' => $clientId,
            'client_secret' => $secret,
        ]);
        $claims = verify($answer['access_token']);
    } catch (Throwable $error) {
        error_log('login: ' . $error->getMessage());
        fail(502, 'The login was not completed.');
    }
    session_regenerate_id(true); // from here on it is somebody's session
    $_SESSION['person'] = $claims['sub']; // the key of your accounts: a number may change hands
    $_SESSION['phone'] = $claims['phone_number'];
    redirect('/');
}

// verify returns the claims of a token, once it is sure that Griot made it for this site.
function verify(string $token): array
{
    global $issuer, $clientId;
    [$head, $body, $signature] = explode('.', $token) + ['', '', ''];
    $header = json_decode(decode($head), true, 8, JSON_THROW_ON_ERROR);
    $claims = json_decode(decode($body), true, 8, JSON_THROW_ON_ERROR);
    $keys = array_column(fetch("$issuer/.well-known/jwks.json")['keys'], null, 'kid'); // may be kept for 300 seconds
    $good = $header['alg'] === 'RS256' && $header['typ'] === 'at+jwt' && isset($keys[$header['kid']])
        && openssl_verify("$head.$body", decode($signature), pem($keys[$header['kid']]), OPENSSL_ALGO_SHA256) === 1
        && $claims['iss'] === $issuer && $claims['aud'] === $clientId && $claims['exp'] > time()
        && $claims['mode'] === 'LIVE'; // anybody can get a token of TEST
    return $good ? $claims : throw new RuntimeException('the token is not one for this site');
}

// pem writes a key of the JWKS as OpenSSL reads it.
function pem(array $jwk): string
{
    $der = fn (int $tag, string $s): string => chr($tag) . (strlen($s) < 128 ? chr(strlen($s)) : "\x82" . pack('n', strlen($s))) . $s;
    $int = fn (string $s): string => $der(2, (ord($s[0]) > 127 ? "\0" : '') . $s);
    $key = $der(48, $int(decode($jwk['n'])) . $int(decode($jwk['e'])));
    $spki = $der(48, hex2bin('300d06092a864886f70d0101010500') . $der(3, "\0" . $key));
    return "-----BEGIN PUBLIC KEY-----\n" . chunk_split(base64_encode($spki), 64, "\n") . "-----END PUBLIC KEY-----\n";
}

function logout(): void
{
    $_SESSION = [];
    session_regenerate_id(true);
    redirect('/');
}

// webhook takes an event of the messaging API: store it, answer, and work afterward.
function webhook(): void
{
    $body = file_get_contents('php://input');
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $key = base64_decode(substr(getenv('GRIOT_WEBHOOK_SECRET') ?: '', strlen('whsec_')));
    $want = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    $fits = array_filter(explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? ''), fn (string $signature): bool => hash_equals($want, $signature));
    if ($key === '' || $fits === [] || abs(time() - (int) $time) > 300) {
        fail(401, 'This is not signed by Griot.');
    }
    error_log('webhook ' . json_decode($body, true)['event'] . " $id"); // drop an id that you have had
    http_response_code(204);
}

// fetch returns the JSON at an address; with a form it posts that.
function fetch(string $url, ?array $form = null): array
{
    $post = ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded', 'content' => http_build_query($form ?? [])];
    $body = file_get_contents($url, context: stream_context_create(['http' => ['timeout' => 10] + ($form === null ? [] : $post)]));
    return $body === false ? throw new RuntimeException('Griot did not answer with a success') : json_decode($body, true, 16, JSON_THROW_ON_ERROR);
}

function decode(string $s): string
{
    return base64_decode(strtr($s, '-_', '+/'));
}

function redirect(string $to): never
{
    header("Location: $to", true, 303);
    exit;
}

function fail(int $status, string $text): never
{
    http_response_code($status);
    page("<p>$text</p><p><a href=\"/\">Start again</a></p>");
    exit;
}

function page(string $main): void
{
    global $issuer;
    header('Cache-Control: no-store');
    echo <<<HTML
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
        <title>Boutique</title>
        <link rel="icon" href="data:,">
        <style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit }</style>
        <link rel="stylesheet" href="$issuer/button.css"><script src="$issuer/button.js" async></script>
        </head>
        <body><main><h1>Boutique</h1>$main</main></body>
        </html>

        HTML;
}
