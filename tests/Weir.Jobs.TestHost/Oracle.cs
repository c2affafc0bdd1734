namespace Weir.Jobs.TestHost;

/// <summary>What handlers have done, in the host and in workers: "start", then "done" or, where the code was left early, "left", each with the job's id and fence.</summary>
internal static class Oracle
{
    /// <summary>The directory of its files: a variable, because workers have no other configuration.</summary>
    public const string Variable = "WEIR_FAULTS_DIRECTORY";

    private static readonly Lazy<Journal> Lines = new(static () => new Journal(Path.Combine(Environment.GetEnvironmentVariable(Variable)!, $"oracle-{Guid.NewGuid():N}")));

    public static void Write(string line) => Lines.Value.Write(line);

    public static Step Begin(OperationContext context) => new(context.Job ?? throw new InvalidOperationException("It is no job."));

    /// <summary>Holds a key until it is disposed, or its process ends. Writes "beside" and the key where another one holds it, in any process.</summary>
    public static IDisposable? Alone(string key)
    {
        try
        {
            return new FileStream(Path.Combine(Environment.GetEnvironmentVariable(Variable)!, $"alone-{key}"), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException)
        {
            Write($"beside {key}");
            return null;
        }
    }

    internal sealed class Step : IDisposable
    {
        private readonly string _job;
        private bool _isDone;

        public Step(JobContext job)
        {
            _job = $"{job.Id} {job.Fence}";
            Attempt = job.Attempt;
            Write($"start {_job}");
        }

        public int Attempt { get; }

        public void Done() => _isDone = true;

        public void Dispose() => Write($"{(_isDone ? "done" : "left")} {_job}");
    }
}
