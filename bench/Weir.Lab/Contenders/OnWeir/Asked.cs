namespace Weir.Lab.Contenders.OnWeir;

/// <summary>What is asked of a pool in the experiment about its options, none of it the default.</summary>
internal static class Asked
{
    public const int MemoryMegabytes = 512;
    public const int OomScoreAdjustment = 300;
    public const int LowestNice = 19;
    public const int Processes = 64;
    public const double Cpus = 0.5;
    public const int Concurrency = 3;
    public const int MinWorkers = 2;
    public const int MaxWorkers = 3;
    public const int CallsPerWorker = 5;
    public const int Retries = 1;
    public const int QuarantineKills = 3;
    public const int UnheldDeaths = 3;
    public const int RestartBudget = 3;
    public const int PayloadBytes = 2048;
    public const int SoftMegabytes = 48;
    public const int SharedBytes = 3000;
    public const int Dumps = 1;
    public const int QueueLimit = 2;
    public const int StandbyWorkers = 2;
    public const int ApplicationWorkers = 2;

    /// <summary>A variable that no one who runs the lab has set.</summary>
    public const int NoSuchProcessor = 8000;

    /// <summary>The variables that a worker sees of its host, and the one that it is given.</summary>
    public const string Inherited = "PATH";
    public const string Given = "WEIR_LAB_WORD";

    /// <summary>Milliseconds of each option that is a time.</summary>
    public const int Time = 400;
}
