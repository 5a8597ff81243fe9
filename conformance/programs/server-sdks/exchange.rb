# Sends calls as the Ruby client does: JSON, X-API-Key; a status of 200 and a JSON content type are demanded.
# usage: exchange.rb <address> <key>; standard input: name, method and parameters of each call, separated by tabs.
require 'json'
require 'net/http'

url, key = ARGV
base = URI("#{url}/")
http = Net::HTTP.new(base.host, base.port)
http.open_timeout = http.read_timeout = 20

def read(response)
  return ['failed', "status #{response.code}"] unless response.is_a?(Net::HTTPSuccess)
  return ['failed', "content type #{response['content-type']}"] unless response['content-type'].to_s.match?(/\bjson\b/)

  ['answer', JSON.generate(JSON.parse(response.body))]
rescue JSON::ParserError => e
  ['failed', e.message.lines.first]
end

http.start do
  $stdin.each_line(chomp: true) do |line|
    name, method, params = line.split("\t")
    headers = { 'Content-Type' => 'application/json', 'X-API-Key' => key }
    response = http.post(base.path + method, JSON.generate(JSON.parse(params).compact), headers)
    puts [name, *read(response)].join("\t")
  end
end
