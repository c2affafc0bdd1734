namespace Weir;

/// <summary>The schedules of an application: <see cref="IJobs.Schedules"/>. May be used concurrently.</summary>
public interface IJobSchedules
{
    /// <summary>All of them, by name, also those that are not declared any more.</summary>
    /// <param name="cancellationToken">Ends the question.</param>
    ValueTask<IReadOnlyList<JobSchedule>> ListAsync(CancellationToken cancellationToken = default);

    /// <summary>Pauses a schedule: it makes no jobs until it is resumed, also after a restart.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <exception cref="ArgumentException">There is none of this name.</exception>
    ValueTask PauseAsync(string name, CancellationToken cancellationToken = default);

    /// <summary>Resumes a schedule. Its next occurrence is the first one from now on; what was missed is left out.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <exception cref="ArgumentException">There is none of this name.</exception>
    ValueTask ResumeAsync(string name, CancellationToken cancellationToken = default);

    /// <summary>Submits the job of a schedule now, whether or not it is paused. Its next occurrence stays.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="cancellationToken">Counts until the job is handed to the store.</param>
    /// <returns>The job.</returns>
    /// <exception cref="ArgumentException">This application declares none of this name.</exception>
    ValueTask<Job> RunAsync(string name, CancellationToken cancellationToken = default);
}
