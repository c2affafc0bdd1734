namespace Weir.Lab.Processes;

/// <summary>The last lines a process printed; bounded to what a person reads.</summary>
internal sealed class OutputTail
{
    private const int Most = 12;

    private readonly Lock _lock = new();
    private readonly Queue<string> _lines = new(Most);

    public void Add(string line)
    {
        lock (_lock)
        {
            if (_lines.Count == Most)
                _lines.Dequeue();
            _lines.Enqueue(line);
        }
    }

    public override string ToString()
    {
        lock (_lock)
            return string.Join(" | ", _lines);
    }
}
