using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Security.Cryptography;

namespace Weir.AspNetCore.Resuming;

/// <summary>The name of a resumable stream: 128 random bits, which no caller can guess.</summary>
internal sealed record StreamId(UInt128 Value)
{
    private const int Digits = 32;

    private static readonly SearchValues<char> Hexadecimal = SearchValues.Create("0123456789abcdef");

    internal static StreamId Create()
    {
        Span<byte> random = stackalloc byte[16];
        RandomNumberGenerator.Fill(random);
        return new StreamId(BinaryPrimitives.ReadUInt128LittleEndian(random));
    }

    /// <summary>Reads <c>{32 hexadecimal digits}.{index}</c>, as a reader sends it back.</summary>
    /// <param name="text">The value of the header.</param>
    /// <param name="id">The stream.</param>
    /// <param name="index">What is behind the point.</param>
    internal static bool TryParse(ReadOnlySpan<char> text, [NotNullWhen(true)] out StreamId? id, out ReadOnlySpan<char> index)
    {
        id = null;
        index = default;
        if (text.Length <= Digits + 1 || text[Digits] != '.' || text[..Digits].ContainsAnyExcept(Hexadecimal)
            || !UInt128.TryParse(text[..Digits], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value))
        {
            return false;
        }

        id = new StreamId(value);
        index = text[(Digits + 1)..];
        return true;
    }

    public override string ToString() => Value.ToString("x32", CultureInfo.InvariantCulture);
}
