using System.Text;

namespace Weir.Lab.Load;

/// <summary>Takes the body out of one HTTP/1.1 response whose bytes come in pieces.</summary>
internal sealed class BodyDecoder
{
    private readonly StringBuilder _line = new();

    // One for each line of the head.
    private readonly Dictionary<string, string> _headers = new(StringComparer.OrdinalIgnoreCase);
    private State _state = State.Head;
    private long _left;
    private bool _isChunked;

    private enum State
    {
        Head,
        Body,
        ChunkSize,
        ChunkBody,
        ChunkEnd,
        Ended,
    }

    /// <summary>Zero until the head has come.</summary>
    public int Status { get; private set; }

    /// <summary>Whether the response ended as responses do, rather than being cut off.</summary>
    public bool IsComplete => _state == State.Ended;

    /// <summary>The value of a header of the response, the last one of that name; null where there is none, or it has not come yet.</summary>
    public string? Header(string name) => _headers.GetValueOrDefault(name);

    /// <summary>Hands the body's bytes among these to <paramref name="sink"/>.</summary>
    public void Feed(ReadOnlySpan<byte> bytes, Action<ReadOnlySpan<byte>> sink)
    {
        while (!bytes.IsEmpty && _state != State.Ended)
        {
            if (_state is State.Body or State.ChunkBody)
            {
                var step = (int)Math.Min(_left, bytes.Length);
                sink(bytes[..step]);
                bytes = bytes[step..];
                _left -= step;
                if (_left == 0)
                    _state = _state == State.Body ? State.Ended : State.ChunkEnd;
                continue;
            }

            var end = bytes.IndexOf((byte)'\n');
            _line.Append(Encoding.ASCII.GetString(end < 0 ? bytes : bytes[..end]));
            if (end < 0)
                return;

            bytes = bytes[(end + 1)..];
            var line = _line.ToString().TrimEnd('\r');
            _line.Clear();
            Line(line);
        }
    }

    private void Line(string line)
    {
        if (_state == State.Head && Status != 0 && line.IndexOf(':') is > 0 and var colon)
            _headers[line[..colon]] = line[(colon + 1)..].Trim();
        switch (_state)
        {
            case State.Head when Status == 0:
                Status = int.Parse(line.Split(' ')[1], System.Globalization.CultureInfo.InvariantCulture);
                break;
            case State.Head when line.Length == 0:
                _state = _isChunked ? State.ChunkSize : _left == 0 ? State.Ended : State.Body;
                break;
            case State.Head when line.StartsWith("content-length:", StringComparison.OrdinalIgnoreCase):
                _left = long.Parse(line["content-length:".Length..].Trim(), System.Globalization.CultureInfo.InvariantCulture);
                break;
            case State.Head when line.StartsWith("transfer-encoding:", StringComparison.OrdinalIgnoreCase):
                _isChunked = true;
                break;
            case State.ChunkEnd:
                _state = State.ChunkSize;
                break;
            case State.ChunkSize when _left == 0 && line.Length == 0:
                // After the last chunk comes an empty line; trailers are passed over.
                _state = State.Ended;
                break;
            case State.ChunkSize:
                _left = long.Parse(line.Split(';')[0], System.Globalization.NumberStyles.AllowHexSpecifier, System.Globalization.CultureInfo.InvariantCulture);
                if (_left > 0)
                    _state = State.ChunkBody;
                break;
        }
    }
}
