using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Weir.ReportLibrary;

/// <summary>An isolated class whose constructor takes what an application's own classes take.</summary>
[Service, Isolated("reports")]
public sealed class Reports(Printer printer, IOptions<ReportOptions> options, IConfiguration configuration, ILogger<Reports> logger)
{
    public string Build(string report)
    {
        if (logger.IsEnabled(LogLevel.Information))
        {
            using (logger.BeginScope("for {Reader}", 7))
            {
                logger.LogInformation("building {Report}", report);
            }
        }

        return $"{report} in {options.Value.Language} on {printer.Name}";
    }

    public string? Setting(string key) => configuration[key];

    public bool IsSwitchedOn(string name) => AppContext.TryGetSwitch(name, out var isOn) && isOn;
}

/// <summary>A service of its own.</summary>
public sealed class Printer(string name)
{
    public string Name => name;
}

/// <summary>Bound to the section <c>Reports</c> of the configuration.</summary>
public sealed class ReportOptions
{
    public string Language { get; set; } = "";
}
