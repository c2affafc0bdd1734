namespace Weir;

/// <summary>How jobs run in tests: <c>AddWeirJobsTesting(testing =&gt; …)</c>.</summary>
public sealed class JobsTestingOptions
{
    /// <summary>When jobs run; default <see cref="JobsTestingMode.Manual"/>.</summary>
    public JobsTestingMode Mode { get; set; }
}
