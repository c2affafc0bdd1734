using System.Globalization;
using System.Text;

namespace Weir.Client.Contracts;

/// <summary>
/// Reads JSON into dictionaries, lists, texts and flags; numbers stay text. Contracts are compared in the compiler, whose framework may
/// have no serializer.
/// </summary>
internal sealed class ContractJson
{
    // A contract is less deep; a file that is deeper is no contract, and would exhaust the stack.
    private const int MostDepth = 64;

    private readonly string _text;
    private int _at;
    private int _depth;

    private ContractJson(string text) => _text = text;

    /// <summary>The value of a text.</summary>
    /// <exception cref="FormatException">It is no JSON.</exception>
    public static object? Parse(string text)
    {
        var reader = new ContractJson(text);
        var value = reader.Value();
        reader.Space();
        return reader._at == text.Length ? value : throw reader.Malformed();
    }

    private object? Value()
    {
        Space();
        switch (_at < _text.Length ? _text[_at] : '\0')
        {
            case '{':
                return Object();
            case '[':
                return List();
            case '"':
                return String();
            case 't':
                return Word("true", true);
            case 'f':
                return Word("false", false);
            case 'n':
                return Word("null", null);
            default:
                var start = _at;
                while (_at < _text.Length && _text[_at] is (>= '0' and <= '9') or '+' or '-' or '.' or 'e' or 'E')
                {
                    _at++;
                }

                return _at > start ? _text.Substring(start, _at - start) : throw Malformed();
        }
    }

    private Dictionary<string, object?> Object()
    {
        var members = new Dictionary<string, object?>(StringComparer.Ordinal);
        Enter();
        while (!Ends('}', members.Count))
        {
            Space();
            var name = String();
            Space();
            Take(':');
            members[name] = Value();
        }

        return members;
    }

    private List<object?> List()
    {
        var items = new List<object?>();
        Enter();
        while (!Ends(']', items.Count))
        {
            items.Add(Value());
        }

        return items;
    }

    private void Enter()
    {
        _at++;
        if (++_depth > MostDepth)
        {
            throw Malformed();
        }
    }

    private bool Ends(char end, int count)
    {
        Space();
        if (_at < _text.Length && _text[_at] == end)
        {
            _at++;
            _depth--;
            return true;
        }

        if (count > 0)
        {
            Take(',');
        }

        return false;
    }

    private string String()
    {
        Take('"');
        var text = new StringBuilder();
        for (; _at < _text.Length && _text[_at] != '"'; _at++)
        {
            text.Append(_text[_at] == '\\' ? Escaped() : _text[_at]);
        }

        Take('"');
        return text.ToString();
    }

    private char Escaped()
    {
        _at++;
        switch (_at < _text.Length ? _text[_at] : '\0')
        {
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'u':
                return Code();
            case '"' or '\\' or '/':
                return _text[_at];
            default:
                throw Malformed();
        }
    }

    private char Code()
    {
        var code = 0;
        for (var count = 0; count < 4; count++)
        {
            _at++;
            var digit = _at < _text.Length ? _text[_at] : '\0';
            code = (code * 16) + (digit switch
            {
                >= '0' and <= '9' => digit - '0',
                >= 'a' and <= 'f' => digit - 'a' + 10,
                >= 'A' and <= 'F' => digit - 'A' + 10,
                _ => throw Malformed(),
            });
        }

        return (char)code;
    }

    private object? Word(string word, object? value)
    {
        if (string.CompareOrdinal(_text, _at, word, 0, word.Length) != 0)
        {
            throw Malformed();
        }

        _at += word.Length;
        return value;
    }

    private void Take(char character)
    {
        if (_at >= _text.Length || _text[_at] != character)
        {
            throw Malformed();
        }

        _at++;
    }

    private void Space()
    {
        while (_at < _text.Length && _text[_at] is ' ' or '\t' or '\r' or '\n')
        {
            _at++;
        }
    }

    private FormatException Malformed() => new($"it is no JSON at character {_at.ToString(CultureInfo.InvariantCulture)}");
}
