using System.ComponentModel;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>The members of one JSON object as arguments: a request's body, or the values of a call's frame.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class JsonArgumentReader : ArgumentReader
{
    // One long name must not hold memory without a limit: a longer buffer than this is released with its document.
    private const int LongestKeptName = 256;

    private readonly string _source;
    private readonly JsonReaderOptions _options;

    private ReadOnlyMemory<byte> _document;
    private JsonReaderState _state;
    private int _position;
    private bool _opened;
    private bool _ended;
    private char[] _name = new char[32];
    private int _nameLength;
    private Range _value;

    /// <summary>Reads the members of a JSON object.</summary>
    /// <param name="document">One JSON object in UTF-8; empty has no members. Must stay unchanged while it is read.</param>
    /// <param name="source">What binding errors name as the source.</param>
    /// <param name="errors">Receives what is wrong, including malformed JSON.</param>
    public JsonArgumentReader(ReadOnlyMemory<byte> document, string source, BindingErrorList errors)
        : base(errors)
    {
        ArgumentNullException.ThrowIfNull(errors);
        _document = document;
        _source = source;
        _options = errors.ReaderOptions;
        _state = new JsonReaderState(_options);
        _ended = document.IsEmpty;
    }

    /// <summary>Starts again with another document.</summary>
    /// <param name="document">As in the constructor.</param>
    public void Reset(ReadOnlyMemory<byte> document)
    {
        _document = document;
        _state = new JsonReaderState(_options);
        _position = 0;
        _opened = false;
        _ended = document.IsEmpty;
        _nameLength = 0;
        _value = default;
        if (_name.Length > LongestKeptName)
        {
            _name = new char[32];
        }
    }

    /// <inheritdoc/>
    public override ReadOnlySpan<char> Name => _name.AsSpan(0, _nameLength);

    /// <inheritdoc/>
    public override ArgumentForm Form => ArgumentForm.Json;

    /// <inheritdoc/>
    public override string Source => _source;

    /// <summary>The current member's JSON value.</summary>
    public ReadOnlySpan<byte> Value => Json;

    /// <inheritdoc/>
    protected override ReadOnlySpan<char> Text => default;

    /// <inheritdoc/>
    protected override ReadOnlySpan<byte> Json => _document.Span[_value];

    /// <inheritdoc/>
    protected override ReadOnlyMemory<byte> Raw => default;

    /// <inheritdoc/>
    public override bool MoveNext()
    {
        if (_ended)
        {
            return false;
        }

        try
        {
            return Advance();
        }
        catch (JsonException error)
        {
            return Stop(BindingErrorReason.Malformed, Describe(error, _options.MaxDepth));
        }
        catch (InvalidOperationException)
        {
            // A lone surrogate in a member's name is valid JSON but not valid text.
            return Stop(BindingErrorReason.Malformed, "JSON with member names of valid text");
        }
    }

    /// <inheritdoc/>
    public override void MissingList(string name, string expected) => Missing(name, expected);

    /// <summary>What was expected where a document could not be read, with the position.</summary>
    internal static string Describe(JsonException error, int depth) => string.Create(
        CultureInfo.InvariantCulture,
        $"JSON of at most {depth} levels; the error is at line {error.LineNumber + 1}, byte {error.BytePositionInLine + 1}");

    private bool Advance()
    {
        var reader = new Utf8JsonReader(_document.Span[_position..], isFinalBlock: true, _state);
        reader.Read();
        if (!_opened)
        {
            if (reader.TokenType != JsonTokenType.StartObject)
            {
                return Stop(reader.TokenType == JsonTokenType.Null ? BindingErrorReason.Null : BindingErrorReason.Invalid, "a JSON object with a member per argument");
            }

            _opened = true;
            reader.Read();
        }

        if (reader.TokenType == JsonTokenType.EndObject)
        {
            _ended = true;
            reader.Read(); // Throws on anything but white space after the object.
            return false;
        }

        CopyName(ref reader);
        reader.Read();
        var start = _position + (int)reader.TokenStartIndex;
        reader.Skip();
        var consumed = _position + (int)reader.BytesConsumed;
        _value = start..consumed;
        _state = reader.CurrentState;
        _position = consumed;
        return true;
    }

    private void CopyName(ref Utf8JsonReader reader)
    {
        if (_name.Length < reader.ValueSpan.Length)
        {
            _name = new char[reader.ValueSpan.Length];
        }

        _nameLength = reader.ValueIsEscaped ? reader.CopyString(_name) : Encoding.UTF8.GetChars(reader.ValueSpan, _name);
    }

    private bool Stop(string reason, string expected)
    {
        _ended = true;
        Errors.Source = _source;
        Errors.Add(reason, expected);
        return false;
    }
}
