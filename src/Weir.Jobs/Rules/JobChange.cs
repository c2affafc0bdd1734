namespace Weir.Jobs.Rules;

/// <summary>What an event makes of a job.</summary>
/// <param name="Status">The job afterwards; unchanged unless <see cref="JobVerdict.Applied"/> or <see cref="JobVerdict.Late"/>.</param>
/// <param name="Verdict">What the event did.</param>
internal readonly record struct JobChange(JobStatus Status, JobVerdict Verdict);
