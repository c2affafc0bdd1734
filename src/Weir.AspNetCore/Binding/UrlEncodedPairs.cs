using Weir.Runtime;


namespace Weir.AspNetCore.Binding;

/// <summary>
/// Walks the pairs of a query or form once, without a table: <c>a=1&amp;a=2&amp;b</c>. A key without <c>=</c> has the
/// empty text as its value; everything after the first <c>=</c> belongs to the value. Reused; not for concurrent use.
/// </summary>
internal sealed class UrlEncodedPairs
{
    // Decoded text of the current pair, where decoding changes it. As long as the longest such pair.
    private char[] _decoded = [];
    private ReadOnlyMemory<char> _rest;
    private ReadOnlyMemory<char> _name;
    private ReadOnlyMemory<char> _value;

    /// <summary>The current pair's name; valid until the next advance.</summary>
    internal ReadOnlySpan<char> Name => _name.Span;

    /// <summary>The current pair's value; valid until the next advance.</summary>
    internal ReadOnlySpan<char> Value => _value.Span;

    /// <summary>Whether the current pair does not decode; its name is then as the caller wrote it.</summary>
    internal bool IsMalformed { get; private set; }

    /// <summary>Starts again.</summary>
    /// <param name="text">Without a question mark. Must stay unchanged while it is walked.</param>
    internal void Reset(ReadOnlyMemory<char> text)
    {
        _rest = text;
        _name = _value = default;
        IsMalformed = false;
    }

    /// <summary>Clears the text and returns a large buffer to the pool.</summary>
    internal void Clear()
    {
        Reset(default);
        if (_decoded.Length > 0)
        {
            BoundedArrayPool.Return(_decoded);
            _decoded = [];
        }
    }

    /// <summary>Advances to the next pair; <c>false</c> after the last. Empty pairs are skipped.</summary>
    internal bool MoveNext()
    {
        while (!_rest.IsEmpty)
        {
            var end = _rest.Span.IndexOf('&');
            var pair = end < 0 ? _rest : _rest[..end];
            _rest = end < 0 ? default : _rest[(end + 1)..];
            if (!pair.IsEmpty)
            {
                Read(pair);
                return true;
            }
        }

        return false;
    }

    private void Read(ReadOnlyMemory<char> pair)
    {
        var equals = pair.Span.IndexOf('=');
        var name = equals < 0 ? pair : pair[..equals];
        var value = equals < 0 ? default : pair[(equals + 1)..];
        IsMalformed = false;
        if (PercentDecoder.IsPlain(pair.Span))
        {
            _name = name;
            _value = value;
            return;
        }

        Reserve(pair.Length);
        var nameDecodes = TryDecode(name, 0, out _name);
        IsMalformed = !TryDecode(value, _name.Length, out _value) || !nameDecodes;
    }

    private bool TryDecode(ReadOnlyMemory<char> text, int start, out ReadOnlyMemory<char> decoded)
    {
        decoded = text;
        if (PercentDecoder.IsPlain(text.Span))
        {
            return true;
        }

        var decodes = PercentDecoder.TryDecode(text.Span, _decoded.AsSpan(start), out var length);
        if (decodes)
        {
            decoded = _decoded.AsMemory(start, length);
        }

        return decodes;
    }

    private void Reserve(int length)
    {
        if (_decoded.Length < length)
        {
            if (_decoded.Length > 0)
            {
                BoundedArrayPool.Return(_decoded);
            }

            _decoded = BoundedArrayPool.RentChars(length);
        }
    }
}
