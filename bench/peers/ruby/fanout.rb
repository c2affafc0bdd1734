# Document 002 in Ruby: ruby fanout.rb fibers-small|fibers-large|net-http|net-http-threads|net-http-fibers|net-http-scheduler|async-http
require 'net/http'
require 'objspace'
require_relative 'control'
require_relative 'sockets'

# Net::HTTP, one connection for each place: kept open, or opened for each request.
class Connections
  def initialize
    @open = {}
  end

  def body(uri, place, keepalive)
    return checked(connection(uri).start { |http| http.get(uri.request_uri, 'Connection' => 'close') }) unless keepalive

    http = @open[[uri.scheme, uri.port, place]] ||= connection(uri).start
    checked(http.get(uri.request_uri))
  end

  private

  def connection(uri)
    http = Net::HTTP.new(uri.host, uri.port)
    http.use_ssl = uri.scheme == 'https'
    http.verify_mode = OpenSSL::SSL::VERIFY_NONE
    http.keep_alive_timeout = 60
    http
  end

  def checked(response)
    raise "status #{response.code}" unless response.code == '200'

    response.body
  end
end

# async-http, in the reactor that runs this program.
class AsyncHttp
  def initialize
    @clients = {}
  end

  def fetch(uri, count, keepalive)
    bodies = Array.new(count)
    client = keepalive ? (@clients[uri.port] ||= client(uri)) : nil
    tasks = Array.new(count) do |i|
      Async::Task.current.async { bodies[i] = keepalive ? body(client, uri) : alone(uri) }
    end
    tasks.each(&:wait)
    bodies
  end

  private

  def client(uri)
    context = OpenSSL::SSL::SSLContext.new
    context.verify_mode = OpenSSL::SSL::VERIFY_NONE
    endpoint = Async::HTTP::Endpoint.parse(uri.to_s, ssl_context: context, alpn_protocols: ['http/1.1'])
    Async::HTTP::Client.new(endpoint, protocol: Async::HTTP::Protocol::HTTP11, retries: 0)
  end

  def alone(uri)
    own = client(uri)
    body(own, uri)
  ensure
    own&.close
  end

  def body(client, uri)
    response = client.get(uri.request_uri)
    raise "status #{response.status}" unless response.status == 200

    response.read
  end
end

def way(name)
  connections = Connections.new
  case name
  when 'fibers-small' then Sockets.new(1).method(:fetch)
  when 'fibers-large' then Sockets.new(102_400).method(:fetch)
  when 'net-http' then ->(uri, count, keepalive) { Array.new(count) { connections.body(uri, 0, keepalive) } }
  when 'net-http-threads'
    ->(uri, count, keepalive) { Array.new(count) { |i| Thread.new { connections.body(uri, i, keepalive) } }.map(&:value) }
  when 'net-http-fibers' # without a scheduler: a fiber that waits blocks its thread
    lambda do |uri, count, keepalive|
      Array.new(count) { Fiber.new { connections.body(uri, 0, keepalive) } }.map(&:resume)
    end
  when 'net-http-scheduler'
    ->(uri, count, keepalive) { Array.new(count) { |i| Async::Task.current.async { connections.body(uri, i, keepalive) } }.map(&:wait) }
  when 'async-http' then AsyncHttp.new.method(:fetch)
  else raise ArgumentError, "there is no way '#{name}'"
  end
end

def fetch(way, values)
  count = values['count'].to_i
  bodies = way.call(URI(values['url']), count, values['keepalive'] == '1')
  raise "#{bodies.compact.size} of #{count} requests were answered" unless bodies.compact.size == count

  bodies
end

def seconds
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def timed(way, values)
  iterations = values['iterations'].to_i
  began = seconds
  iterations.times { fetch(way, values) }
  time = (seconds - began) / iterations
  Control.reading('time', time, 's')
  Control.reading('iterations/s', 1 / time, '1/s')
end

# An iteration of its own, without collections, so that all it allocated is still there to be counted.
def counted(way, values)
  GC.start
  GC.disable
  size = ObjectSpace.memsize_of_all
  objects = GC.stat(:total_allocated_objects)
  bodies = fetch(way, values)
  objects = GC.stat(:total_allocated_objects) - objects
  allocated = ObjectSpace.memsize_of_all - size
  GC.enable
  GC.start
  Control.reading('allocated', allocated, 'B')
  Control.reading('objects', objects, '')
  Control.reading('retained', [0, ObjectSpace.memsize_of_all - size].max, 'B')
  bodies
end

def serve(name)
  way = way(name)
  Control.serve(
    'answer' => ->(values) { Control.send('ok', answer: fetch(way, values).join(',')) },
    'run' => lambda do |values|
      timed(way, values)
      counted(way, values['counted'] ? values.merge('url' => values['counted']) : values)
      Control.send('ok')
    end
  )
end

if %w[net-http-scheduler async-http].include?(ARGV[0])
  ENV['CONSOLE_LEVEL'] ||= 'error'
  require 'async'
  require 'async/http'
  Async { serve(ARGV[0]) }
else
  serve(ARGV[0])
end
