using Weir.Execution.Observation.Records;

namespace Weir.Dashboard.Streaming;

/// <summary>What viewers get once a second. It is read and written for the first of them who asks in that second, and the others get the same bytes: without viewers nothing runs. Any thread.</summary>
/// <param name="reader">Reads it.</param>
/// <param name="time">The clock.</param>
internal sealed class Ticks(ApplicationReader reader, TimeProvider time)
{
    /// <summary>How long one is the newest.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();

    // Under _gate.
    private ReadOnlyMemory<byte> _record;
    private long _readAt;

    /// <summary>The newest one, as JSON in one line.</summary>
    public ReadOnlyMemory<byte> Newest()
    {
        lock (_gate)
        {
            // Viewers are not in step: half a second old is new enough.
            if (_record.IsEmpty || time.GetElapsedTime(_readAt) > Interval / 2)
            {
                var reading = reader.Read();
                _record = JsonBytes.Of(json => RecordWriter.Write(json, reading));
                _readAt = time.GetTimestamp();
            }

            return _record;
        }
    }
}
