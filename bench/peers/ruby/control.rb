# The contender's side of the lab's lines: @verb key=value, values percent-encoded.
require 'erb'
require 'uri'

module Control
  module_function

  def send(verb, values = {})
    words = values.map { |key, value| "#{key}=#{ERB::Util.url_encode(value.to_s)}" }
    $stdout.puts("@#{[verb, *words].join(' ')}")
    $stdout.flush
  end

  def reading(metric, value, unit)
    send('reading', metric: metric, value: value, unit: unit)
  end

  # Answers until the input ends; what a handler raises becomes an error line.
  def serve(handlers)
    send('ready', runtime: "Ruby #{RUBY_VERSION}")
    while (line = $stdin.gets)
      next unless line.start_with?('@')

      verb, *words = line.chomp[1..].split
      values = words.to_h { |word| word.split('=', 2) }.transform_values { |value| URI.decode_www_form_component(value.gsub('+', '%2B')) }
      begin
        handlers.fetch(verb).call(values)
      rescue StandardError => e
        send('error', message: "#{e.class}: #{e.message}")
      end
    end
  end
end
