using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Text;
using Weir;

namespace Showcase;

/// <summary>Work for processors, in a pool of worker processes that grows with the load and shrinks without it.</summary>
[Service, Isolated("hashing")]
public sealed class Hasher
{
    private const int Piece = 1 << 20;

    /// <summary>The SHA-512 of <paramref name="size"/> random bytes, in base64. It takes time, and a megabyte at most.</summary>
    [Get]
    public string DoTask(int size)
    {
        Require.NotNegative(size);
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA512);
        var bytes = new byte[Math.Min(size, Piece)];
        for (var left = size; left > 0; left -= bytes.Length)
        {
            var piece = bytes.AsSpan(0, Math.Min(left, bytes.Length));
            RandomNumberGenerator.Fill(piece);
            hash.AppendData(piece);
        }

        return Convert.ToBase64String(hash.GetHashAndReset());
    }

    /// <summary>The SHA-512 of the request's body, in base64.</summary>
    public string Hash(ReadOnlyMemory<byte> data) => Convert.ToBase64String(SHA512.HashData(data.Span));

    /// <summary>The SHA-512 of each line, in base64, as the lines come: both directions run at once, through the worker.</summary>
    public async IAsyncEnumerable<string> HashLines(IAsyncEnumerable<string> lines, [EnumeratorCancellation] CancellationToken ct = default)
    {
        await foreach (var line in lines.WithCancellation(ct))
        {
            yield return Convert.ToBase64String(SHA512.HashData(Encoding.UTF8.GetBytes(line)));
        }
    }

    /// <summary>Takes the body and does nothing with it: what remains is what a call to a worker costs.</summary>
    public void Nothing(ReadOnlyMemory<byte> data)
    {
    }
}
