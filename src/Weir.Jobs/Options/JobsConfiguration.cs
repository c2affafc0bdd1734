using Microsoft.Extensions.Configuration;

namespace Weir.Jobs.Options;

/// <summary>What one call of <c>AddWeirJobs</c> sets.</summary>
/// <param name="configure">Changes the options.</param>
/// <param name="isLast">Whether it goes before all others, in whatever order they were registered.</param>
internal sealed class JobsConfiguration(Action<WeirJobsOptions> configure, bool isLast = false)
{
    private bool IsLast => isLast;

    /// <summary>The options: the configuration first, then the code.</summary>
    public static WeirJobsOptions Create(IConfiguration? configuration, IEnumerable<JobsConfiguration> code)
    {
        var options = new WeirJobsOptions();
        if (configuration is not null)
        {
            JobsKeys.Section.Bind(options, configuration);
        }

        foreach (var one in code.OrderBy(static one => one.IsLast))
        {
            one.Configure(options);
        }

        return options;
    }

    private void Configure(WeirJobsOptions options) => configure(options);
}
