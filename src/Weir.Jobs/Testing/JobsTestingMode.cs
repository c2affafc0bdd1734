namespace Weir;

/// <summary>When jobs run in a test.</summary>
public enum JobsTestingMode
{
    /// <summary>When the test says so: <see cref="JobsTesting.DrainAsync"/>.</summary>
    Manual = 0,

    /// <summary>One attempt before <c>EnqueueAsync</c> returns, where the job is due then. What is due later, or waits for another attempt, runs with <see cref="JobsTesting.DrainAsync"/>.</summary>
    Inline = 1,
}
