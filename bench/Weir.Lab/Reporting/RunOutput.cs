namespace Weir.Lab.Reporting;

/// <summary>Where a run is written; after every experiment, so that an interrupted one is not lost.</summary>
internal sealed record RunOutput(FileInfo? Json, FileInfo? Html)
{
    public void Write(RunReport report)
    {
        if (Json is not null)
            ReportFile.Write(Json.FullName, ReportFile.Text(report));
        if (Html is not null)
            ReportFile.Write(Html.FullName, HtmlReport.Text(report));
    }
}
