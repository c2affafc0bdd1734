namespace Weir.Execution.Observation;

/// <summary>
/// The numbers of one pool, lane or operation over time: one second for two minutes, ten seconds for an hour. A point that was not added is a gap. Its
/// memory is taken by <see cref="Open"/>, and given back in two steps. Under its owner's lock.
/// </summary>
/// <param name="columns">How each number is added up.</param>
internal sealed class History(HistoryColumn[] columns)
{
    public const int Seconds = 120;
    public const int Tens = 360;

    private const int Ten = 10;

    // Values of one interval stand together. A stamp is the interval's number, and none where it was never written.
    private Level? _seconds;
    private Level? _tens;

    /// <summary>The second in which anything last happened; the budget takes memory from the one that was longest without.</summary>
    public long LastActive { get; private set; } = long.MinValue;

    /// <summary>Whether anything is kept.</summary>
    public bool IsKept => _tens is not null;

    /// <summary>Whether single seconds are kept.</summary>
    public bool HasSeconds => _seconds is not null;

    /// <summary>What it uses, in bytes.</summary>
    public int Bytes => (_seconds is null ? 0 : BytesOf(Seconds)) + (_tens is null ? 0 : BytesOf(Tens));

    /// <summary>What <see cref="Open"/> would take in addition, in bytes.</summary>
    public int BytesToOpen => BytesOf(Seconds) + BytesOf(Tens) - Bytes;

    /// <summary>Takes its memory.</summary>
    public void Open()
    {
        _seconds ??= new Level(Seconds, columns);
        _tens ??= new Level(Tens, columns);
    }

    /// <summary>Gives up single seconds first, then everything.</summary>
    public void GiveUp()
    {
        _tens = _seconds is null ? null : _tens;
        _seconds = null;
    }

    /// <summary>Adds the values of a second; of one second only once.</summary>
    /// <param name="second">Seconds since recording began; not before the last one.</param>
    /// <param name="values">One for each column.</param>
    /// <param name="isActive">Whether anything happened in it.</param>
    public void Add(long second, ReadOnlySpan<float> values, bool isActive)
    {
        LastActive = isActive ? second : LastActive;
        _seconds?.Add(second, values);
        _tens?.Add(second / Ten, values);
    }

    /// <summary>The points of the last two minutes, the oldest first.</summary>
    /// <param name="now">The present second.</param>
    public HistoryPoint[] ReadSeconds(long now) => _seconds?.Read(now, 1) ?? [];

    /// <summary>The points of the last hour, each of ten seconds, the oldest first; the last one may not be over.</summary>
    /// <param name="now">The present second.</param>
    public HistoryPoint[] ReadTens(long now) => _tens?.Read(now / Ten, Ten) ?? [];

    private int BytesOf(int length) => length * (sizeof(int) + (columns.Length * sizeof(float)));

    private sealed class Level
    {
        private readonly HistoryColumn[] _columns;
        private readonly float[] _values;
        private readonly int[] _stamps;

        public Level(int length, HistoryColumn[] columns)
        {
            _columns = columns;
            _values = new float[length * columns.Length];
            _stamps = new int[length];
            Array.Fill(_stamps, -1);
        }

        public void Add(long number, ReadOnlySpan<float> values)
        {
            var at = (int)(number % _stamps.Length);
            var point = Point(at);
            if (_stamps[at] != (int)number)
            {
                _stamps[at] = (int)number;
                values.CopyTo(point);
                return;
            }

            for (var i = 0; i < point.Length; i++)
            {
                point[i] = _columns[i] == HistoryColumn.Sum ? point[i] + values[i] : Math.Max(point[i], values[i]);
            }
        }

        public HistoryPoint[] Read(long now, int length)
        {
            var points = new List<HistoryPoint>(_stamps.Length);
            for (var number = Math.Max(0, now - _stamps.Length + 1); number <= now; number++)
            {
                var at = (int)(number % _stamps.Length);
                if (_stamps[at] == (int)number)
                {
                    points.Add(new HistoryPoint(number * length, Point(at).ToArray()));
                }
            }

            return [.. points];
        }

        private Span<float> Point(int at) => _values.AsSpan(at * _columns.Length, _columns.Length);
    }
}
