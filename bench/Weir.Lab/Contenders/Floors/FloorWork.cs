using System.Buffers.Text;
using System.Security.Cryptography;
using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.Floors;

/// <summary>What the other side of a floor does for one task, and what goes over the channel for it: no less than any contender must.</summary>
internal sealed class FloorWork
{
    // A number as a value, and something to see as an empty answer.
    private const int ValueBytes = 4;
    private const int NothingBytes = 1;

    private readonly bool _isLoad;
    private readonly byte[] _buffer;
    private readonly byte[] _hash = new byte[SHA512.HashSizeInBytes];
    private readonly Random _generator = new();
    private readonly SHA512 _sha = SHA512.Create();

    public FloorWork(string mode, TaskKind kind, int bytes)
    {
        _isLoad = kind == TaskKind.Load;
        _buffer = new byte[bytes];
        Question = new byte[mode == LineProtocol.Value ? ValueBytes : bytes];
        Answer = new byte[_isLoad ? HelloAnswer.Length : NothingBytes];

        // Memory that was never written is one page of zeros, which costs nothing to read.
        Question.AsSpan().Fill(1);
    }

    public byte[] Question { get; }

    public byte[] Answer { get; }

    /// <summary>Answers one question: the load fills a buffer and hashes it, and nothing allocates.</summary>
    public void Do()
    {
        if (!_isLoad)
            return;

        _generator.NextBytes(_buffer);
        _sha.TryComputeHash(_buffer, _hash, out _);
        Base64.EncodeToUtf8(_hash, Answer, out _, out _);
    }
}
