namespace Weir.Lab.Engine;

/// <summary>Something that happened while a round ran, for charts.</summary>
/// <param name="Seconds">Since the round began.</param>
/// <param name="What">One of few words: started, ended, submitted, …</param>
/// <param name="Value">A pid or a count, as the word demands.</param>
internal readonly record struct TimelineEvent(double Seconds, string What, double Value);
