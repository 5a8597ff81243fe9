<?php
// Sends calls as the PHP client does: curl, JSON as `json_encode` writes it, X-API-Key; status 200 and JSON are demanded.
// usage: exchange.php <address> <key>; standard input: name, method and parameters of each call, separated by tabs.
[, $url, $key] = $argv;

function answer(string $url, string $key, string $method, object $params): array
{
    $curl = curl_init();
    curl_setopt_array($curl, [
        CURLOPT_URL => rtrim($url, '/') . '/' . $method,
        CURLOPT_POST => true,
        CURLOPT_POSTFIELDS => json_encode($params),
        CURLOPT_HTTPHEADER => ['Content-Type: application/json', 'X-API-Key: ' . $key],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 20,
    ]);
    $body = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_HTTP_CODE);
    if ($status !== 200) {
        return ['failed', 'status ' . $status];
    }
    $value = json_decode($body);
    if (json_last_error() !== JSON_ERROR_NONE) {
        return ['failed', json_last_error_msg()];
    }
    return ['answer', json_encode($value)];
}

while (($line = fgets(STDIN)) !== false) {
    [$name, $method, $params] = explode("\t", rtrim($line, "\n"));
    [$outcome, $value] = answer($url, $key, $method, json_decode($params));
    echo "$name\t$outcome\t$value\n";
}
