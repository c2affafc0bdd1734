namespace Weir.Jobs.Testing;

/// <summary>What one call of <c>AddWeirJobsTesting</c> sets.</summary>
/// <param name="configure">Changes the options; <c>null</c> for nothing.</param>
internal sealed class JobsTestingConfiguration(Action<JobsTestingOptions>? configure)
{
    /// <summary>The options of all calls.</summary>
    /// <exception cref="InvalidOperationException">There is no such mode (WEIR3002).</exception>
    public static JobsTestingOptions Create(IEnumerable<JobsTestingConfiguration> code)
    {
        var options = new JobsTestingOptions();
        foreach (var one in code)
        {
            one.Configure(options);
        }

        return options.Mode is JobsTestingMode.Manual or JobsTestingMode.Inline
            ? options
            : throw new InvalidOperationException($"JobsTestingOptions.Mode is {options.Mode}; set it to Manual or Inline. See {WeirCodes.InvalidOptions}.");
    }

    private void Configure(JobsTestingOptions options) => configure?.Invoke(options);
}
