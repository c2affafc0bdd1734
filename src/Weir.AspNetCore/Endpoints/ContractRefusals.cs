using Microsoft.Extensions.Logging;
using Weir.AspNetCore.Diagnostics;

namespace Weir.AspNetCore.Endpoints;

/// <summary>Logs that clients of one operation have another contract: the first of them at once, the others of 10 s with the next. Used concurrently.</summary>
/// <param name="operation">The operation.</param>
/// <param name="log">The server's log.</param>
/// <param name="time">The clock.</param>
internal sealed class ContractRefusals(Operation operation, ILogger log, TimeProvider time)
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(10);

    // A client sends a few hashes; the header may have any text.
    private const int MostKnown = 100;

    private readonly Lock _gate = new();

    // Under _gate.
    private long? _loggedAt;
    private long _others;

    /// <summary>A request was refused.</summary>
    /// <param name="own">The server's contract.</param>
    /// <param name="known">Those that the client knows.</param>
    internal void Note(string own, ReadOnlySpan<char> known)
    {
        long others;
        lock (_gate)
        {
            if (_loggedAt is { } at && time.GetElapsedTime(at) < Pause)
            {
                _others++;
                return;
            }

            _loggedAt = time.GetTimestamp();
            (others, _others) = (_others, 0);
        }

        log.ContractRefused(operation.FullName, own, known[..Math.Min(MostKnown, known.Length)].ToString(), others);
    }
}
