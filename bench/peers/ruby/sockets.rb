# Document 002's own way: a fiber for each request that yields while its socket would block, and a loop that resumes it.
require 'openssl'
require 'socket'

class Sockets
  def initialize(bytes)
    @bytes = bytes
    @idle = []
  end

  def fetch(uri, count, keepalive)
    @readers = {}
    @writers = {}
    bodies = Array.new(count)
    count.times { |i| Fiber.new { bodies[i] = request(uri, keepalive) }.resume }
    resume_ready until @readers.empty? && @writers.empty?
    bodies
  end

  private

  def resume_ready
    readable, writable = IO.select(@readers.keys, @writers.keys)
    readable.each { |io| @readers.delete(io).resume }
    writable.each { |io| @writers.delete(io).resume }
  end

  # Tries again once the socket is ready.
  def patiently(socket)
    loop do
      case (result = yield)
      when :wait_readable then @readers[socket.to_io] = Fiber.current
      when :wait_writable then @writers[socket.to_io] = Fiber.current
      else return result
      end
      Fiber.yield
    end
  end

  def request(uri, keepalive)
    socket = (@idle.pop if keepalive) || open(uri)
    text = "GET #{uri.request_uri} HTTP/1.1\r\nHost: #{uri.host}:#{uri.port}\r\nConnection: #{keepalive ? 'keep-alive' : 'close'}\r\n\r\n"
    patiently(socket) { socket.write_nonblock(text, exception: false) }
    body = read(socket)
    keepalive ? @idle.push(socket) : socket.close
    body
  end

  def open(uri)
    socket = TCPSocket.new(uri.host, uri.port)
    socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
    return socket unless uri.scheme == 'https'

    context = OpenSSL::SSL::SSLContext.new
    context.verify_mode = OpenSSL::SSL::VERIFY_NONE
    secure = OpenSSL::SSL::SSLSocket.new(socket, context)
    secure.sync_close = true
    patiently(secure) { secure.connect_nonblock(exception: false) }
    secure
  end

  # A response of known length or in one chunk, which is what the endpoint sends.
  def read(socket)
    text = +''
    loop do
      part = patiently(socket) { socket.read_nonblock(@bytes, exception: false) }
      raise EOFError, 'the connection ended within a response' if part.nil?

      text << part
      next unless (head = text.index("\r\n\r\n"))

      first = head + 4
      if (length = text[/^content-length: *(\d+)/i, 1])
        return text[first, length.to_i] if text.bytesize >= first + length.to_i
      elsif text.end_with?("\r\n0\r\n\r\n")
        size = text[first..].to_i(16)
        return text[text.index("\r\n", first) + 2, size]
      end
    end
  end
end
