namespace Weir.Jobs.Tests.Faults;

/// <summary>Jobs that end in ways that are hard to write down.</summary>
[Service]
public sealed class Unlucky
{
    [Job(Concurrency = 1)]
    public void Throw(string what) => throw what switch
    {
        "silent" => new SilentException(),
        "half" => new InvalidOperationException("half a character: \ud83d"),
        "long" => new InvalidOperationException(new string('a', (64 * 1024) - 1) + "\ud83d\ude00"),
        _ => new InvalidOperationException(what),
    };

    [Job(Concurrency = 1)]
    public string Return(string what) => what;

    // Its text cannot be read.
    private sealed class SilentException : Exception
    {
        public override string Message => throw new InvalidOperationException("no text");

        public override string ToString() => throw new InvalidOperationException("no text");
    }
}
